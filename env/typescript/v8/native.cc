//go:build cgo && linux && (amd64 || arm64)

// What the prelude can ask of the process: the object native.

#include <sys/random.h>
#include <time.h>

#include <utility>
#include <vector>

#include "probe.h"
#include "runtime.h"
#include "utf8.h"

namespace reeve {

namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

void Throw(v8::Isolate* isolate, v8::Local<v8::Value> (*kind)(v8::Local<v8::String>, v8::Local<v8::Value>),
           const char* message) {
  v8::Local<v8::String> text = v8::String::NewFromUtf8(isolate, message).ToLocalChecked();
  isolate->ThrowException(kind(text, {}));
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

v8::Local<v8::String> Word(v8::Isolate* isolate, const char* word) {
  return v8::String::NewFromUtf8(isolate, word, v8::NewStringType::kInternalized).ToLocalChecked();
}

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
