//go:build cgo && linux && (amd64 || arm64)

#include "frames.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace reeve {

void PutHeader(char* header, char type, size_t n) {
  uint32_t length = static_cast<uint32_t>(n + 1);
  for (int i = 0; i < 4; i++) header[i] = static_cast<char>(length >> (8 * i));
  header[4] = type;
}

void Channel::Send(char type, const char* payload, size_t n) {
  char header[kFrameHeader];
  PutHeader(header, type, n);
  iovec parts[2] = {{header, sizeof header}, {const_cast<char*>(payload), n}};
  iovec* part = parts;
  int count = n > 0 ? 2 : 1;
  sending_ = 1;
  while (count > 0) {
    ssize_t sent = writev(fd_, part, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) _exit(0);
    for (; count > 0 && static_cast<size_t>(sent) >= part->iov_len; part++, count--) {
      sent -= part->iov_len;
    }
    if (count > 0) {
      part->iov_base = static_cast<char*>(part->iov_base) + sent;
      part->iov_len -= sent;
    }
  }
  sending_ = 0;
}

bool Channel::Wait(double milliseconds) {
  if (buffer_.size() > at_) return true;
  pollfd p = {fd_, POLLIN, 0};
  timespec limit = {};
  bool limited = milliseconds >= 0 && milliseconds < 1e15;
  if (limited) {
    double seconds = floor(milliseconds / 1e3);
    limit.tv_sec = static_cast<time_t>(seconds);
    limit.tv_nsec = static_cast<long>((milliseconds - seconds * 1e3) * 1e6);
  }
  int n = ppoll(&p, 1, limited ? &limit : nullptr, nullptr);
  return n > 0;  // an interrupted wait is asked for again by the loop
}

Frame Channel::Next() {
  Fill(4);
  size_t n = 0;
  for (int i = 3; i >= 0; i--) n = n << 8 | static_cast<uint8_t>(buffer_[at_ + i]);
  if (n < 1 || n > kMaxFrame) _exit(0);  // the parent broke off
  Fill(4 + n);
  Frame frame = {buffer_[at_ + 4], std::string_view(buffer_).substr(at_ + kFrameHeader, n - 1)};
  at_ += 4 + n;
  return frame;
}

void Channel::Release() {
  if (at_ < buffer_.size()) return;
  buffer_ = std::string();
  at_ = 0;
}

// Fill reads until n bytes are there to return. The buffer grows with what
// arrives, and one large frame is no reason to keep its memory.
void Channel::Fill(size_t n) {
  constexpr size_t kStep = 4 << 10, kKeep = 64 << 10;
  if (buffer_.size() - at_ >= n) return;
  buffer_.erase(0, at_);
  at_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kKeep) buffer_.shrink_to_fit();
  while (buffer_.size() < n) {
    size_t have = buffer_.size();
    size_t room = std::max(kStep, std::min(n - have, have));
    buffer_.resize(have + room);
    ssize_t got = read(fd_, buffer_.data() + have, room);
    if (got == 0 || (got < 0 && errno != EINTR)) _exit(0);
    buffer_.resize(have + (got > 0 ? got : 0));
  }
}

}  // namespace reeve
