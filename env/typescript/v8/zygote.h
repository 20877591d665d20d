// The zygote: a process that has started V8, evaluated the prelude, given up
// what rights it can, and forks a child for each program. Programs never run in
// it.

#pragma once

#include "settings.h"

namespace reeve {

[[noreturn]] void RunZygote(const Settings& settings);

}  // namespace reeve
