// The child's channel: one socket, frames in both directions. A frame is a
// length of four bytes (little endian, counting what follows), one byte of
// type, and the payload; see package engine.

#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <string_view>

namespace reeve {

constexpr size_t kMaxFrame = 16u << 20;  // engine.MaxFrame
constexpr size_t kFrameHeader = 5;

constexpr char kTypeScript = 'S';
constexpr char kTypeResult = 'R';
constexpr char kTypeCall = 'K';
constexpr char kTypeUsage = 'U';
constexpr char kTypeDone = 'D';
constexpr char kTypeError = 'X';

struct Frame {
  char type;
  std::string_view payload;  // valid until the following Next
};

// PutHeader writes the header of a frame with n bytes of payload.
void PutHeader(char* header, char type, size_t n);

// Channel speaks frames over a blocking socket. When the other side is gone the
// process ends: nobody is left to run for.
class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}

  // Send writes one frame; the payload must fit kMaxFrame.
  void Send(char type, const char* payload, size_t n);

  // Wait says whether something can be read within so many milliseconds; a
  // negative number waits without limit.
  bool Wait(double milliseconds);

  // Next reads one frame and waits until all of it has come.
  Frame Next();

  // Release lets go of the buffer if nothing is in it.
  void Release();

  int fd() const { return fd_; }

  // sending is set while a frame may be half written: a signal handler must
  // not write another into it.
  bool sending() const { return sending_ != 0; }

 private:
  void Fill(size_t n);

  int fd_;
  std::string buffer_;
  size_t at_ = 0;  // what was read and not returned: buffer_[at_:]
  volatile sig_atomic_t sending_ = 0;
};

}  // namespace reeve
