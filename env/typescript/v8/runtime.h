// The runtime: V8's isolate with the prelude evaluated in it, and the loop that
// a program runs in.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frames.h"
#include "bounds.h"
#include "settings.h"
#include "v8.h"

namespace reeve {

// Hook names what the prelude's function returned; see World.
enum Hook { kStart, kCompileError, kDispatch, kRejection, kTurn, kFire, kUncaught, kHooks };

// World is one context with its own evaluation of the prelude.
struct World {
  v8::Global<v8::Context> context;
  v8::Global<v8::Function> hooks[kHooks];
};

// Rejection is a promise that was rejected without a handler, or got one later.
struct Rejection {
  v8::PromiseRejectEvent event;
  v8::Global<v8::Promise> promise;
  v8::Global<v8::Value> value;
};

// Script is what a child runs; see engine.Script. The views lie in the frame.
struct Script {
  uint64_t heap;
  uint64_t cpu_milliseconds;
  std::string_view name, code, meta;
};

// ReadScript reads the payload of a script's frame; false if it is malformed.
bool ReadScript(std::string_view payload, Script* script);

// Runtime exists once per process, in the zygote, and again in each child by
// the fork.
class Runtime {
 public:
  // Start starts V8 and evaluates the prelude, after a rehearsal in a context
  // that is thrown away. It returns null and says why where the prelude does
  // not work.
  static Runtime* Start(const Settings& settings, const std::string& prelude, std::string* error);

  // Prepare is called in a child before its script is known: it touches what
  // every program will.
  void Prepare();

  // Run runs one script and ends the process.
  [[noreturn]] void Run(const Script& script, Channel* channel);

  Buffers* buffers() { return &buffers_; }
  v8::Isolate* isolate() { return isolate_; }
  const Settings& settings() const { return settings_; }

  // channel is null in the zygote, where what the rehearsal sends is dropped.
  Channel* channel() { return channel_; }
  bool rehearsing() const { return rehearsing_; }

  // called takes note of a tool call that the rehearsal made.
  void called(std::string_view payload) { call_ = payload; }

  static Runtime* Of(v8::Isolate* isolate) { return static_cast<Runtime*>(isolate->GetData(0)); }

 private:
  explicit Runtime(const Settings& settings) : settings_(settings) {}
  void NewIsolate();
  std::unique_ptr<World> NewWorld(const std::string& prelude, std::string* error);
  void Rehearse();
  void Program(const Script& script);
  double Turn();
  bool WaitForFrame(double wait);
  bool Call(Hook hook, int argc, v8::Local<v8::Value> argv[], v8::Local<v8::Value>* result = nullptr);
  void Dispatch(char type, std::string_view payload);
  void Uncaught(v8::Local<v8::Value> error);
  static void OnReject(v8::PromiseRejectMessage message);
  void TellRejections();
  v8::MaybeLocal<v8::String> Text(std::string_view utf8);

  const Settings settings_;
  Buffers buffers_;
  std::unique_ptr<v8::Platform> platform_;
  v8::Isolate* isolate_ = nullptr;
  std::unique_ptr<World> world_;
  std::vector<Rejection> rejections_;  // not told to the prelude yet
  Channel* channel_ = nullptr;
  bool rehearsing_ = false;
  std::string call_;
};

// NewNative makes the object that the prelude's function is given. Programs
// never see it.
v8::MaybeLocal<v8::Object> NewNative(v8::Local<v8::Context> context, bool probe);

}  // namespace reeve
