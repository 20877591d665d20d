//go:build cgo && linux && (amd64 || arm64)

#include "runtime.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libplatform/libplatform.h"

namespace reeve {

namespace {

// kFlags keep V8 to one thread, and what the rehearsal compiled in memory.
// Without its middle compiler programs reach the best one sooner, which with one
// thread to compile on matters: a loop that allocates took 10 ms instead of 48.
constexpr char kFlags[] = "--single-threaded --no-flush-bytecode --no-maglev";

bool Entropy(unsigned char* bytes, size_t n) {
  return getrandom(bytes, n, 0) == static_cast<ssize_t>(n);
}

// StackLimit leaves native code a reserve below the deepest JavaScript frame.
uintptr_t StackLimit() {
  constexpr rlim_t kMost = 4 << 20, kLeast = 512 << 10;
  rlimit stack;
  rlim_t size = kMost;
  if (getrlimit(RLIMIT_STACK, &stack) == 0) size = std::min(size, stack.rlim_cur / 2);
  char here;
  return reinterpret_cast<uintptr_t>(&here) - std::max(size, kLeast);
}

}  // namespace

Runtime* Runtime::Start(const Settings& settings, const std::string& prelude, std::string* error) {
  v8::V8::SetEntropySource(Entropy);
  v8::V8::SetFlagsFromString(kFlags);
  if (settings.jitless) v8::V8::SetFlagsFromString("--jitless");
  Runtime* runtime = new Runtime(settings);  // lives as long as the process
  runtime->platform_ = v8::platform::NewSingleThreadedDefaultPlatform();
  v8::V8::InitializePlatform(runtime->platform_.get());
  v8::V8::Initialize();
  runtime->NewIsolate();
  v8::HandleScope scope(runtime->isolate_);
  runtime->world_ = runtime->NewWorld(prelude, error);
  if (runtime->world_ == nullptr) return nullptr;
  runtime->Rehearse();
  runtime->world_ = runtime->NewWorld(prelude, error);
  if (runtime->world_ == nullptr) return nullptr;
  // The rehearsal's garbage would otherwise be copied by every child.
  runtime->isolate_->LowMemoryNotification();
  return runtime;
}

void Runtime::NewIsolate() {
  buffers_.Start();
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator = &buffers_;
  params.allow_atomics_wait = false;  // nobody could wake the only thread
  params.constraints.set_max_old_generation_size_in_bytes(kZygoteHeap);
  params.constraints.set_max_young_generation_size_in_bytes(24 << 20);
  isolate_ = v8::Isolate::New(params);
  isolate_->Enter();
  isolate_->SetData(0, this);
  isolate_->SetStackLimit(StackLimit());
  isolate_->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate_->SetPromiseRejectCallback(OnReject);
  WatchMemory(isolate_);
}

v8::MaybeLocal<v8::String> Runtime::Text(std::string_view utf8) {
  return v8::String::NewFromUtf8(isolate_, utf8.data(), v8::NewStringType::kNormal,
                                 static_cast<int>(utf8.size()));
}

std::unique_ptr<World> Runtime::NewWorld(const std::string& prelude, std::string* error) {
  static constexpr const char* kNames[kHooks] = {"start", "compileError", "dispatch", "rejection",
                                                 "turn",  "fire",         "uncaught"};
  v8::HandleScope scope(isolate_);
  v8::Local<v8::Context> context = v8::Context::New(isolate_);
  v8::Context::Scope inside(context);
  v8::TryCatch caught(isolate_);
  auto world = std::make_unique<World>();
  world->context.Reset(isolate_, context);
  // Its memories would lie outside of the heap and its limit.
  context->Global()->Delete(context, v8::String::NewFromUtf8Literal(isolate_, "WebAssembly")).Check();

  v8::ScriptOrigin origin(v8::String::NewFromUtf8Literal(isolate_, "reeve:prelude"));
  v8::Local<v8::String> source;
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> function, native, hooks;
  if (!Text(prelude).ToLocal(&source) ||
      !v8::Script::Compile(context, source, &origin).ToLocal(&script) ||
      !script->Run(context).ToLocal(&function) || !function->IsFunction() ||
      !NewNative(context, settings_.probe != kNoProbe).ToLocal(&native) ||
      !function.As<v8::Function>()
           ->Call(context, v8::Undefined(isolate_), 1, &native)
           .ToLocal(&hooks) ||
      !hooks->IsObject()) {
    *error = "the prelude is no function that returns its hooks";
    if (caught.HasCaught()) *error = *v8::String::Utf8Value(isolate_, caught.Exception());
    return nullptr;
  }
  for (int i = 0; i < kHooks; i++) {
    v8::Local<v8::Value> hook;
    if (!Text(kNames[i]).ToLocal(&source) ||
        !hooks.As<v8::Object>()->Get(context, source).ToLocal(&hook) || !hook->IsFunction()) {
      *error = std::string("the prelude has no hook ") + kNames[i];
      return nullptr;
    }
    world->hooks[i].Reset(isolate_, hook.As<v8::Function>());
  }
  return world;
}

}  // namespace reeve
