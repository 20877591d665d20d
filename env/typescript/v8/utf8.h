#pragma once

#include <string_view>

namespace reeve {

// ValidUTF8 says whether text is well-formed UTF-8, surrogates excluded.
bool ValidUTF8(std::string_view text);

}  // namespace reeve
