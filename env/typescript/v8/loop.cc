//go:build cgo && linux && (amd64 || arm64)

// The loop a program runs in.

#include <string.h>
#include <unistd.h>

#include "libplatform/libplatform.h"
#include "memory.h"
#include "runtime.h"

namespace reeve {

bool ReadScript(std::string_view payload, Script* script) {
  if (payload.size() < 16) return false;
  memcpy(&script->heap, payload.data(), 8);
  memcpy(&script->cpu_milliseconds, payload.data() + 8, 8);
  payload.remove_prefix(16);
  for (std::string_view* text : {&script->name, &script->code, &script->meta}) {
    uint32_t n;
    if (payload.size() < sizeof n) return false;
    memcpy(&n, payload.data(), sizeof n);
    payload.remove_prefix(sizeof n);
    if (n > payload.size()) return false;
    *text = payload.substr(0, n);
    payload.remove_prefix(n);
  }
  return payload.empty();
}

// Run is the program's life: frames that wait are dispatched before a timer
// that is due fires, so that a frame may still move it.
void Runtime::Run(const Script& script, Channel* channel) {
  channel_ = channel;
  v8::HandleScope scope(isolate_);
  v8::Context::Scope inside(world_->context.Get(isolate_));
  Program(script);
  for (;;) {
    double wait = Turn();
    if (wait == -2) _exit(0);
    v8::HandleScope turn(isolate_);
    if (WaitForFrame(wait)) {
      Frame frame = channel_->Next();
      Dispatch(frame.type, frame.payload);
    } else if (wait >= 0) {
      Call(kFire, 0, nullptr);
    }
  }
}

// WaitForFrame waits as the channel does. A program that waits for long gives
// back what it does not use: there may be hundreds of them.
bool Runtime::WaitForFrame(double wait) {
  constexpr double kSoon = 50;
  if (wait >= 0 && wait <= kSoon) return channel_->Wait(wait);
  if (channel_->Wait(kSoon)) return true;
  channel_->Release();
  ReturnUnused();
  return channel_->Wait(wait < 0 ? wait : wait - kSoon);
}

// Program compiles the script and starts what it evaluates to.
void Runtime::Program(const Script& script) {
  v8::HandleScope scope(isolate_);
  v8::Local<v8::Context> context = isolate_->GetCurrentContext();
  v8::Local<v8::String> name, code, meta;
  if (!Text(script.name).ToLocal(&name) || !Text(script.code).ToLocal(&code) ||
      !Text(script.meta).ToLocal(&meta)) {
    FailInternal(channel_, "The program is too long for a string.");
  }
  v8::TryCatch caught(isolate_);
  v8::ScriptOrigin origin(name);
  v8::Local<v8::Script> compiled;
  if (!v8::Script::Compile(context, code, &origin).ToLocal(&compiled)) {
    v8::Local<v8::Value> error = caught.Exception();
    caught.Reset();
    Call(kCompileError, 1, &error);
    return;
  }
  v8::Local<v8::Value> main;
  if (!compiled->Run(context).ToLocal(&main)) {
    v8::Local<v8::Value> error = caught.Exception();
    caught.Reset();
    Uncaught(error);
    return;
  }
  v8::Local<v8::Value> arguments[] = {main, meta};
  Call(kStart, 2, arguments);
}

// Turn does what has become possible and asks the prelude what to wait for.
double Runtime::Turn() {
  v8::HandleScope scope(isolate_);
  do {
    isolate_->PerformMicrotaskCheckpoint();
  } while (v8::platform::PumpMessageLoop(platform_.get(), isolate_));
  TellRejections();
  v8::Local<v8::Value> next;
  if (!Call(kTurn, 0, nullptr, &next)) return 0;
  if (!next->IsNumber()) FailInternal(channel_, "The prelude did not say what to wait for.");
  return next.As<v8::Number>()->Value();
}

void Runtime::Dispatch(char type, std::string_view payload) {
  v8::Local<v8::String> text;
  if (!Text(payload).ToLocal(&text)) FailInternal(channel_, "A frame is too long for a string.");
  v8::Local<v8::Value> arguments[] = {v8::Integer::New(isolate_, static_cast<uint8_t>(type)), text};
  Call(kDispatch, 2, arguments);
}

// Call calls a hook; false if something was thrown, which is then reported.
bool Runtime::Call(Hook hook, int argc, v8::Local<v8::Value> argv[], v8::Local<v8::Value>* result) {
  v8::Local<v8::Context> context = isolate_->GetCurrentContext();
  v8::Local<v8::Function> function = world_->hooks[hook].Get(isolate_);
  v8::TryCatch caught(isolate_);
  v8::Local<v8::Value> value;
  if (function->Call(context, v8::Undefined(isolate_), argc, argv).ToLocal(&value)) {
    if (result != nullptr) *result = value;
    return true;
  }
  v8::Local<v8::Value> error = caught.Exception();
  caught.Reset();
  if (rehearsing_) return false;
  if (hook == kUncaught) FailInternal(channel_, "The program failed in a way that could not be told.");
  Uncaught(error);
  return false;
}

void Runtime::Uncaught(v8::Local<v8::Value> error) {
  if (error.IsEmpty()) error = v8::Undefined(isolate_);
  Call(kUncaught, 1, &error);
}

// OnReject only takes note: it may be called at the very end of the stack, where
// no JavaScript can run any more. A handler that follows at once, as await adds
// it, takes the note back.
void Runtime::OnReject(v8::PromiseRejectMessage message) {
  v8::PromiseRejectEvent event = message.GetEvent();
  if (event != v8::kPromiseRejectWithNoHandler && event != v8::kPromiseHandlerAddedAfterReject) return;
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  std::vector<Rejection>& notes = Of(isolate)->rejections_;
  v8::Local<v8::Promise> promise = message.GetPromise();
  if (event == v8::kPromiseHandlerAddedAfterReject && !notes.empty() &&
      notes.back().event == v8::kPromiseRejectWithNoHandler && notes.back().promise == promise) {
    notes.pop_back();
    return;
  }
  Rejection note = {event, {}, {}};
  note.promise.Reset(isolate, promise);
  if (!message.GetValue().IsEmpty()) note.value.Reset(isolate, message.GetValue());
  notes.push_back(std::move(note));
}

void Runtime::TellRejections() {
  std::vector<Rejection> notes = std::move(rejections_);
  rejections_.clear();
  for (Rejection& note : notes) {
    v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> value = v8::Undefined(isolate_);
    if (!note.value.IsEmpty()) value = note.value.Get(isolate_);
    v8::Local<v8::Value> arguments[] = {v8::Integer::New(isolate_, note.event), note.promise.Get(isolate_), value};
    Call(kRejection, 3, arguments);
  }
}

}  // namespace reeve
