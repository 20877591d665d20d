//go:build cgo && linux && (amd64 || arm64)

// What the prelude can ask about values.

#include <stdlib.h>

#include <vector>

#include "native.h"

namespace reeve {

namespace {

// Clones has errors of cloning thrown as plain errors; the prelude names them.
class Clones : public v8::ValueSerializer::Delegate {
 public:
  explicit Clones(v8::Isolate* isolate) : isolate_(isolate) {}
  void ThrowDataCloneError(v8::Local<v8::String> message) override {
    isolate_->ThrowException(v8::Exception::Error(message));
  }

 private:
  v8::Isolate* isolate_;
};

void ReturnArray(const Info& info, std::vector<v8::Local<v8::Value>> values) {
  info.GetReturnValue().Set(v8::Array::New(info.GetIsolate(), values.data(), values.size()));
}

void PromiseDetails(const Info& info) {
  static constexpr const char* kStates[] = {"pending", "fulfilled", "rejected"};
  v8::Isolate* isolate = info.GetIsolate();
  auto promise = info[0].As<v8::Promise>();
  v8::Local<v8::Value> result = v8::Undefined(isolate);
  if (promise->State() != v8::Promise::kPending) result = promise->Result();
  ReturnArray(info, {Word(isolate, "promise"), Word(isolate, kStates[promise->State()]), result});
}

}  // namespace

v8::Local<v8::String> Word(v8::Isolate* isolate, const char* word) {
  return v8::String::NewFromUtf8(isolate, word, v8::NewStringType::kInternalized).ToLocalChecked();
}

// clone(value) is the structured clone.
void Clone(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  v8::Local<v8::Context> context = isolate->GetCurrentContext();
  Clones clones(isolate);
  v8::ValueSerializer writer(isolate, &clones);
  writer.WriteHeader();
  if (!writer.WriteValue(context, info[0]).FromMaybe(false)) return;
  auto [data, n] = writer.Release();
  v8::ValueDeserializer reader(isolate, data, n);
  v8::Local<v8::Value> value;
  if (reader.ReadHeader(context).FromMaybe(false) && reader.ReadValue(context).ToLocal(&value)) {
    info.GetReturnValue().Set(value);
  }
  free(data);
}

// details(value) tells what JavaScript cannot see:
//   ["promise", "pending" | "fulfilled" | "rejected", result]
//   ["proxy", target, handler]            both null if it was revoked
//   ["mapiterator" | "setiterator", entries, pairs]
//     what is left of it; keys and values in turn if pairs
//   ["external"]
// and undefined for any other value.
void Details(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  v8::Local<v8::Value> value = info[0];
  if (value->IsPromise()) return PromiseDetails(info);
  if (value->IsProxy()) {
    auto proxy = value.As<v8::Proxy>();
    return ReturnArray(info, {Word(isolate, "proxy"), proxy->GetTarget(), proxy->GetHandler()});
  }
  if (value->IsExternal()) return ReturnArray(info, {Word(isolate, "external")});
  bool map = value->IsMapIterator();
  if (!map && !value->IsSetIterator()) return;
  bool pairs = false;
  v8::Local<v8::Array> entries;
  if (!value.As<v8::Object>()->PreviewEntries(&pairs).ToLocal(&entries)) return;
  ReturnArray(info, {Word(isolate, map ? "mapiterator" : "setiterator"), entries,
                     v8::Boolean::New(isolate, pairs)});
}

}  // namespace reeve
