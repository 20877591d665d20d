//go:build cgo && linux && (amd64 || arm64)

#include "bounds.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rlimits.h"

namespace reeve {

namespace {

// What handlers of signals and of V8 need; they are given no argument of ours.
struct {
  Channel* channel = nullptr;
  size_t heap = SIZE_MAX;
  bool raised = false;   // the heap's limit, to the script's
  bool judging = false;  // the heap, at the program's next step
  char memory[256];     // whole frames, written as they are
  char cpu[256];
  size_t memory_size = 0;
  size_t cpu_size = 0;
} child;

// Report writes a frame, unless it would stand inside of another one.
void Report(const char* frame, size_t n) {
  if (child.channel == nullptr || child.channel->sending()) return;
  while (n > 0) {
    ssize_t sent = write(child.channel->fd(), frame, n);
    if (sent < 0 && errno != EINTR) return;
    if (sent > 0) frame += sent, n -= sent;
  }
}

size_t ErrorFrame(char* frame, size_t room, const char* message, const char* kind) {
  int n = snprintf(frame + kFrameHeader, room - kFrameHeader,
                   "{\"message\":\"%s\",\"kind\":\"%s\"}", message, kind);
  PutHeader(frame, kTypeError, n);
  return kFrameHeader + n;
}

// DescribeLimits writes the frames that tell of them, while that can be done.
void DescribeLimits(uint64_t heap, uint64_t cpu_milliseconds) {
  char text[160];
  snprintf(text, sizeof text, "The program needed more memory than its limit of %llu MiB.",
           static_cast<unsigned long long>(heap >> 20));
  child.memory_size = ErrorFrame(child.memory, sizeof child.memory, text, "memory");
  snprintf(text, sizeof text, "The program used up its CPU time of %llu ms.",
           static_cast<unsigned long long>(cpu_milliseconds));
  child.cpu_size = ErrorFrame(child.cpu, sizeof child.cpu, text, "cpu");
}

// OnNearHeapLimit is asked when a collection could not bring the heap below
// its limit: the first time that is the zygote's, and becomes the script's.
size_t OnNearHeapLimit(void*, size_t current, size_t) {
  if (child.raised || child.heap <= current) FailMemory();
  child.raised = true;
  return child.heap;
}

bool OverLimit(v8::Isolate* isolate) {
  v8::HeapStatistics heap;
  isolate->GetHeapStatistics(&heap);
  return heap.used_heap_size() > child.heap;
}

// JudgeHeap collects all garbage before it decides.
void JudgeHeap(v8::Isolate* isolate, void*) {
  isolate->LowMemoryNotification();
  if (OverLimit(isolate)) FailMemory();
  child.judging = false;
}

// OnCollected watches a limit below the one V8 knows. What is left after a
// collection may still be garbage of another kind than was collected, so it only
// calls for judgement, which the program's next step begins with.
void OnCollected(v8::Isolate* isolate, v8::GCType, v8::GCCallbackFlags) {
  if (child.judging || !OverLimit(isolate)) return;
  child.judging = true;
  isolate->RequestInterrupt(JudgeHeap, nullptr);
}

void OnOutOfMemory(const char*, const v8::OOMDetails&) { FailMemory(); }

void OnFatal(const char* location, const char* message) {
  char text[160];
  snprintf(text, sizeof text, "V8 stopped: %.120s", message == nullptr ? "no reason given" : message);
  FailInternal(child.channel, text);
}

void OnCPU(int) {
  Report(child.cpu, child.cpu_size);
  _exit(kExitCPU);
}

// MemoryIsOut says whether the resource limit stands in the way of even a
// small allocation.
bool MemoryIsOut() {
  constexpr size_t kSmall = 2 << 20;
  void* p = mmap(nullptr, kSmall, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return true;
  munmap(p, kSmall);
  return false;
}

// OnCrash tells the want of memory from other crashes: V8 and the C++ library
// abort when malloc fails. The handler is reset before it runs, so returning
// repeats the fault and ends the process by its signal.
void OnCrash(int signal) {
  if (MemoryIsOut()) FailMemory();
  if (signal == SIGABRT) _exit(kExitInternal);
}

void Handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | flags;
  sigaction(signal, &action, nullptr);
}

// UseSignalStack gives handlers a stack of their own: the program may have used
// up the ordinary one.
void UseSignalStack() {
  constexpr size_t kSize = 64 << 10;
  void* stack = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;
  stack_t s = {};
  s.ss_sp = stack;
  s.ss_size = kSize;
  sigaltstack(&s, nullptr);
}

}  // namespace

void FailMemory() {
  Report(child.memory, child.memory_size);
  _exit(kExitMemory);
}

void FailInternal(Channel* channel, const char* what) {
  child.channel = channel;
  char frame[256];
  Report(frame, ErrorFrame(frame, sizeof frame, what, "internal"));
  _exit(kExitInternal);
}

void WatchMemory(v8::Isolate* isolate) {
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, nullptr);
  isolate->SetOOMErrorHandler(OnOutOfMemory);
  isolate->SetFatalErrorHandler(OnFatal);
  v8::V8::SetFatalMemoryErrorCallback(OnOutOfMemory);
  UseSignalStack();
}

void ReportLimits(Channel* channel) {
  child.channel = channel;
  DescribeLimits(0, 0);
  for (int signal : {SIGABRT, SIGTRAP, SIGILL, SIGSEGV, SIGBUS}) {
    Handle(signal, OnCrash, SA_RESETHAND);
  }
  Handle(SIGPROF, OnCPU, 0);
}

void LimitProgram(v8::Isolate* isolate, Buffers* buffers, uint64_t heap, uint64_t cpu_milliseconds) {
  DescribeLimits(heap, cpu_milliseconds);
  child.heap = heap;
  buffers->Limit(isolate, heap);
  if (heap < kZygoteHeap) isolate->AddGCEpilogueCallback(OnCollected);
  LimitMemory(heap);
  if (cpu_milliseconds > 0) LimitCPU(cpu_milliseconds);
}

}  // namespace reeve
