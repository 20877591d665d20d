//go:build cgo && linux && (amd64 || arm64)

#include "bounds.h"

namespace reeve {

void Buffers::Start() { under_ = v8::ArrayBuffer::Allocator::NewDefaultAllocator(); }

void Buffers::Limit(v8::Isolate* isolate, size_t bytes) {
  isolate_ = isolate;
  limit_ = bytes;
}

// Admit refuses what goes over the limit. A single buffer that could never fit
// is a RangeError and no more: a program may try. Buffers that add up are the
// end of the program, though not here: V8 collects garbage and asks again
// before it gives up, so judgement is passed when the program goes on.
bool Buffers::Admit(size_t length) {
  if (length > limit_) return false;
  if (length <= limit_ - used_) {
    refused_ = false;
    return true;
  }
  if (!refused_) isolate_->RequestInterrupt(Judge, this);
  refused_ = true;
  return false;
}

void Buffers::Judge(v8::Isolate*, void* self) {
  if (static_cast<Buffers*>(self)->refused_) FailMemory();
}

void* Buffers::Allocate(size_t length) {
  void* data = Admit(length) ? under_->Allocate(length) : nullptr;
  if (data != nullptr) used_ += length;
  return data;
}

void* Buffers::AllocateUninitialized(size_t length) {
  void* data = Admit(length) ? under_->AllocateUninitialized(length) : nullptr;
  if (data != nullptr) used_ += length;
  return data;
}

void Buffers::Free(void* data, size_t length) {
  under_->Free(data, length);
  used_ -= length;
}

size_t Buffers::MaxAllocationSize() const { return under_->MaxAllocationSize(); }

v8::PageAllocator* Buffers::GetPageAllocator() { return under_->GetPageAllocator(); }

}  // namespace reeve
