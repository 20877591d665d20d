// The functions of the object native that look at values.

#pragma once

#include "v8.h"

namespace reeve {

using Info = v8::FunctionCallbackInfo<v8::Value>;

void Clone(const Info& info);
void Details(const Info& info);

// Word is a short string that occurs again and again.
v8::Local<v8::String> Word(v8::Isolate* isolate, const char* word);

}  // namespace reeve
