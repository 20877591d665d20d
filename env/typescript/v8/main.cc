//go:build cgo && linux && (amd64 || arm64)

// How the zygote comes to run. It is the same executable as the Go program
// that starts it, and has to have one thread, since only the thread that forks
// lives on in a child. So it must be entered before the Go runtime makes any:
// x_cgo_init is the first thing the runtime calls, and the linker is told to
// have it call __wrap_x_cgo_init instead. libc and all static initialisers,
// V8's too, are ready by then. (Wrapping main would make the Go linker's trials
// of C linker flags fail, and with them -no-pie and the race detector.)

#include <stdlib.h>

#include "settings.h"
#include "zygote.h"

namespace {

uint64_t Number(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : strtoull(text, nullptr, 10);
}

}  // namespace

extern "C" void __real_x_cgo_init(void* g, void* setg, void* tlsg, void* tlsbase);

extern "C" void __wrap_x_cgo_init(void* g, void* setg, void* tlsg, void* tlsbase) {
  if (getenv("REEVE_V8_ZYGOTE") == nullptr) {
    __real_x_cgo_init(g, setg, tlsg, tlsbase);
    return;
  }
  reeve::Settings settings = {};
  settings.control = static_cast<int>(Number("REEVE_V8_ZYGOTE", 3));
  settings.jitless = Number("REEVE_V8_JITLESS", 0) != 0;
  settings.user_namespace = Number("REEVE_V8_USERNS", 0) != 0;
  settings.probe = static_cast<int>(Number("REEVE_V8_PROBE", 0));
  settings.uid = static_cast<uid_t>(Number("REEVE_V8_UID", 65534));
  settings.gid = static_cast<gid_t>(Number("REEVE_V8_GID", 65534));
  settings.max_heap = Number("REEVE_V8_MAX_HEAP", 0);
  reeve::RunZygote(settings);
}
