// The limits of a child: memory and CPU time.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frames.h"
#include "v8.h"

namespace reeve {

// Exit codes of a child whose end was not its program's doing alone. The codes
// are enough to tell; a frame of type error goes before where it still can.
constexpr int kExitMemory = 70;
constexpr int kExitCPU = 71;
constexpr int kExitInternal = 72;

// Buffers hands out the memory of ArrayBuffers and counts it: it lies outside
// the heap that V8 limits.
class Buffers : public v8::ArrayBuffer::Allocator {
 public:
  // Start is called once V8 is initialised, before anything is allocated.
  void Start();
  void* Allocate(size_t length) override;
  void* AllocateUninitialized(size_t length) override;
  void Free(void* data, size_t length) override;
  size_t MaxAllocationSize() const override;
  v8::PageAllocator* GetPageAllocator() override;

  void Limit(v8::Isolate* isolate, size_t bytes);

 private:
  bool Admit(size_t length);
  static void Judge(v8::Isolate* isolate, void* self);

  v8::ArrayBuffer::Allocator* under_ = nullptr;
  v8::Isolate* isolate_ = nullptr;
  size_t limit_ = SIZE_MAX;
  size_t used_ = 0;
  bool refused_ = false;
};

// kZygoteHeap is the limit V8 is given in the zygote, when no script is known. It
// is raised to a larger one when the heap comes near; see OnNearHeapLimit. A
// smaller one is checked after collections; see OnCollected.
constexpr size_t kZygoteHeap = 128 << 20;

// WatchMemory has V8 report to us what it cannot allocate. Called in the zygote.
void WatchMemory(v8::Isolate* isolate);

// ReportLimits has an end by a limit reported on a channel.
void ReportLimits(Channel* channel);

// LimitProgram applies the limits of a script to this process.
void LimitProgram(v8::Isolate* isolate, Buffers* buffers, uint64_t heap, uint64_t cpu_milliseconds);

// FailMemory reports that the memory is used up and ends the process.
[[noreturn]] void FailMemory();

// FailInternal reports what should not happen and ends the process.
[[noreturn]] void FailInternal(Channel* channel, const char* what);

}  // namespace reeve
