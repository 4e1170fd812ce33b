// The radix sort, alone in its file: it takes longest to compile.
#include <cub/device/device_radix_sort.cuh>

#include "../util/device.cuh"

namespace cuzk {
namespace msm {

size_t sort_bytes(size_t n, int bits) {
    size_t bytes = 0;
    cub::DoubleBuffer<uint32_t> k(nullptr, nullptr), v(nullptr, nullptr);
    CUZK_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, k, v, n, 0, bits));
    return bytes;
}

void sort(void* temp, size_t temp_bytes, uint32_t* keys, uint32_t* keys2, uint32_t* refs, uint32_t* refs2, size_t n,
          int bits, bool* swapped, cudaStream_t s) {
    cub::DoubleBuffer<uint32_t> k(keys, keys2), v(refs, refs2);
    CUZK_CHECK(cub::DeviceRadixSort::SortPairs(temp, temp_bytes, k, v, n, 0, bits, s));
    if (k.selector != v.selector) throw ArgumentError("sort: keys and values ended in different buffers");
    *swapped = k.selector == 1;
}

} // namespace msm
} // namespace cuzk
