//go:build cgo && linux && (amd64 || arm64)

// The rehearsal runs a program of the usual kind in the zygote, so that the
// functions of the prelude and of V8 it goes through are compiled once and not
// in every child. It has a context and an evaluation of the prelude of its own:
// nothing it does is to be seen by a program.

#include "runtime.h"

namespace reeve {

namespace {

constexpr char kProgram[] = R"js((async function () {
  const g = globalThis;
  const shown = { text: "a", list: [1, 2.5, null], map: new Map([["k", new Set([1])]]), when: new Date(0) };
  g.console?.log?.("warm", 1, shown);
  g.console?.error?.("%s", new Error("warm"));
  JSON.parse(JSON.stringify(shown));
  new Intl.NumberFormat("en").format(1.5);
  new Date(0).toLocaleString();
  await Promise.all([Promise.resolve(1), new Promise((done) => (g.setTimeout ?? ((f) => f()))(done, 0))]);
  const service = g.reeve?.services?.warm;
  if (service) await service.tools.up({ list: [1] });
  if (g.reeve?.output) g.reeve.output({ shown: 1 });
  try { throw new TypeError("warm"); } catch (e) { String(e.stack); }
}))js";

constexpr char kMeta[] =
    R"({"id":1,"run":1,"mappings":"AAAA","lines":0,"columns":0})";

// ResultOf answers a tool call by its id, which the payload begins with.
std::string ResultOf(std::string_view call) {
  size_t at = call.find("\"id\":");
  std::string id;
  if (at != std::string_view::npos) {
    for (at += 5; at < call.size() && call[at] >= '0' && call[at] <= '9'; at++) id += call[at];
  }
  return "{\"id\":" + (id.empty() ? "0" : id) + ",\"ok\":true,\"value\":{\"a\":[1]}}";
}

}  // namespace

void Runtime::Rehearse() {
  constexpr int kTurns = 50;  // it needs about five
  v8::HandleScope scope(isolate_);
  v8::Context::Scope inside(world_->context.Get(isolate_));
  rehearsing_ = true;
  Program({0, 0, "program.ts", kProgram, kMeta});
  for (int i = 0; i < kTurns; i++) {
    if (Turn() == -2) break;
    if (!call_.empty()) {
      std::string result = ResultOf(call_);
      call_.clear();
      Dispatch(kTypeResult, result);
    } else {
      Call(kFire, 0, nullptr);
    }
  }
  rehearsing_ = false;
}

// Prepare runs a little of everything before the script comes: the pages of the
// executable and of the heap that this touches would otherwise be faulted in
// while somebody waits.
void Runtime::Prepare() {
  constexpr char kLittle[] = "(async function (a) { globalThis.console?.log?.(\"a\", a, [a]); await null; return JSON.stringify([a, { b: `${a}` }]); })(1)";
  v8::HandleScope scope(isolate_);
  v8::Local<v8::Context> context = world_->context.Get(isolate_);
  v8::Context::Scope inside(context);
  v8::TryCatch caught(isolate_);
  v8::Local<v8::String> source;
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> ignored;
  if (Text(kLittle).ToLocal(&source) && v8::Script::Compile(context, source).ToLocal(&script) &&
      script->Run(context).ToLocal(&ignored)) {
    isolate_->PerformMicrotaskCheckpoint();
  }
}

}  // namespace reeve
