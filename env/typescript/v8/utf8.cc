//go:build cgo && linux && (amd64 || arm64)

#include "utf8.h"

#include <stddef.h>
#include <stdint.h>

namespace reeve {

namespace {

// Range is which bytes may follow a leading byte at once; the remaining ones
// are any continuation.
struct Range {
  int follow;
  uint8_t low, high;
};

Range After(uint8_t lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return {1, 0x80, 0xbf};
  if (lead == 0xe0) return {2, 0xa0, 0xbf};  // not overlong
  if (lead == 0xed) return {2, 0x80, 0x9f};  // no surrogate
  if (lead >= 0xe1 && lead <= 0xef) return {2, 0x80, 0xbf};
  if (lead == 0xf0) return {3, 0x90, 0xbf};
  if (lead >= 0xf1 && lead <= 0xf3) return {3, 0x80, 0xbf};
  if (lead == 0xf4) return {3, 0x80, 0x8f};  // at most U+10FFFF
  return {-1, 0, 0};
}

}  // namespace

bool ValidUTF8(std::string_view text) {
  auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  for (size_t i = 0; i < text.size();) {
    if (at(i) < 0x80) {
      i++;
      continue;
    }
    Range next = After(at(i));
    if (next.follow < 0 || i + next.follow >= text.size()) return false;
    if (at(i + 1) < next.low || at(i + 1) > next.high) return false;
    for (int k = 2; k <= next.follow; k++) {
      if ((at(i + k) & 0xc0) != 0x80) return false;
    }
    i += next.follow + 1;
  }
  return true;
}

}  // namespace reeve
