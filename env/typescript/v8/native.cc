//go:build cgo && linux && (amd64 || arm64)

// What the prelude can ask of the process: the object native.

#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include <utility>
#include <vector>

#include "native.h"
#include "probe.h"
#include "runtime.h"
#include "utf8.h"

namespace reeve {

namespace {

void Throw(v8::Isolate* isolate, v8::Local<v8::Value> (*kind)(v8::Local<v8::String>, v8::Local<v8::Value>),
           const char* message) {
  v8::Local<v8::String> text = v8::String::NewFromUtf8(isolate, message).ToLocalChecked();
  isolate->ThrowException(kind(text, {}));
}

// TellUsage says what the process has consumed, before its last word: so nobody
// has to wait until the kernel has taken it apart.
void TellUsage(Channel* channel) {
  rusage used;
  if (getrusage(RUSAGE_SELF, &used) != 0) return;
  long long micros = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  char text[96];
  int n = snprintf(text, sizeof text, "{\"cpuUs\":%lld,\"rssBytes\":%lld}", micros, used.ru_maxrss * 1024LL);
  channel->Send(kTypeUsage, text, n);
}

constexpr int kValidUTF8 = v8::String::WriteFlags::kReplaceInvalidUtf8;

// send(type, payload) writes one frame.
void Send(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  Runtime* runtime = Runtime::Of(isolate);
  if (info.Length() < 2 || !info[0]->IsInt32() || !info[1]->IsString()) {
    return Throw(isolate, v8::Exception::TypeError, "send takes a number and a string.");
  }
  v8::Local<v8::String> payload = info[1].As<v8::String>();
  size_t n = payload->Utf8LengthV2(isolate);
  if (n >= kMaxFrame) {
    return Throw(isolate, v8::Exception::Error, "What is sent at once must be smaller than 16 MiB.");
  }
  char small[4096];
  std::vector<char> large(n > sizeof small ? n : 0);
  char* text = large.empty() ? small : large.data();
  n = payload->WriteUtf8V2(isolate, text, n, kValidUTF8);
  char type = static_cast<char>(info[0].As<v8::Int32>()->Value());
  if (runtime->channel() != nullptr) {
    if (type == kTypeDone || type == kTypeError) TellUsage(runtime->channel());
    runtime->channel()->Send(type, text, n);
  } else if (type == kTypeCall) {
    runtime->called({text, n});
  }
}

// random(array) fills an array with random bytes. Before the fork there are
// none: all children would share them.
void Random(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  Runtime* runtime = Runtime::Of(isolate);
  if (info.Length() < 1 || !info[0]->IsArrayBufferView()) {
    return Throw(isolate, v8::Exception::TypeError, "random takes a typed array.");
  }
  if (runtime->rehearsing()) return;
  if (runtime->channel() == nullptr) {
    return Throw(isolate, v8::Exception::Error, "random must not be called before the program starts.");
  }
  auto view = info[0].As<v8::ArrayBufferView>();
  char* at = static_cast<char*>(view->Buffer()->Data()) + view->ByteOffset();
  for (size_t left = view->ByteLength(); left > 0;) {
    ssize_t got = getrandom(at, std::min<size_t>(left, 256), 0);
    if (got < 0) continue;  // interrupted
    at += got;
    left -= got;
  }
}

// now() is monotonic time in milliseconds.
void Now(const Info& info) {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  info.GetReturnValue().Set(static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6);
}

// encode(string) is the string's UTF-8.
void Encode(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  if (info.Length() < 1 || !info[0]->IsString()) {
    return Throw(isolate, v8::Exception::TypeError, "encode takes a string.");
  }
  v8::Local<v8::String> text = info[0].As<v8::String>();
  size_t n = text->Utf8LengthV2(isolate);
  v8::Local<v8::ArrayBuffer> buffer;
  if (!v8::ArrayBuffer::MaybeNew(isolate, n).ToLocal(&buffer)) {
    return Throw(isolate, v8::Exception::RangeError, "Array buffer allocation failed");
  }
  n = text->WriteUtf8V2(isolate, static_cast<char*>(buffer->Data()), n, kValidUTF8);
  info.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, n));
}

// decode(array, fatal) is the text of UTF-8. What is malformed becomes U+FFFD,
// or a TypeError if fatal.
void Decode(const Info& info) {
  v8::Isolate* isolate = info.GetIsolate();
  if (info.Length() < 1 || !info[0]->IsArrayBufferView()) {
    return Throw(isolate, v8::Exception::TypeError, "decode takes a typed array.");
  }
  auto view = info[0].As<v8::ArrayBufferView>();
  const char* data = static_cast<const char*>(view->Buffer()->Data()) + view->ByteOffset();
  size_t n = view->ByteLength();
  if (info.Length() > 1 && info[1]->BooleanValue(isolate) && !ValidUTF8({data, n})) {
    return Throw(isolate, v8::Exception::TypeError, "The encoded data was not valid for encoding utf-8");
  }
  v8::Local<v8::String> text;
  if (n > v8::String::kMaxLength ||
      !v8::String::NewFromUtf8(isolate, data, v8::NewStringType::kNormal, static_cast<int>(n))
           .ToLocal(&text)) {
    return Throw(isolate, v8::Exception::RangeError, "The text is too long for a string.");
  }
  info.GetReturnValue().Set(text);
}

}  // namespace

v8::MaybeLocal<v8::Object> NewNative(v8::Local<v8::Context> context, bool probe) {
  static constexpr std::pair<const char*, v8::FunctionCallback> kFunctions[] = {
      {"send", Send},     {"random", Random}, {"now", Now},        {"encode", Encode},
      {"decode", Decode}, {"clone", Clone},   {"details", Details}};
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Object> native = v8::Object::New(isolate);
  for (auto [name, callback] : kFunctions) {
    v8::Local<v8::Function> function;
    if (!v8::Function::New(context, callback, {}, 0, v8::ConstructorBehavior::kThrow).ToLocal(&function) ||
        !native->Set(context, Word(isolate, name), function).FromMaybe(false)) {
      return {};
    }
  }
  if (probe) AddProbe(context);
  return native;
}

}  // namespace reeve
