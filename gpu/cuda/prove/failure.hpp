// What can go wrong on a device, in the form that crosses the C surface.
#pragma once
#include <stdexcept>
#include <string>

#include "../cuzk_cuda.h"

namespace cuzk::prove {

struct Failure : std::runtime_error {
    int code;
    int cuda = 0;
    int reason = 0;   // of a refused point
    int section = -1; // of a refused point
    size_t index = 0; // of a refused point
    size_t needed = 0, available = 0;
    std::string stage;
    Failure(int c, const std::string& message) : std::runtime_error(message), code(c) {}
};

} // namespace cuzk::prove
