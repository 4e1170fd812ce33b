// Bucket reduction by trees: which points are added in which order.
//
// A set of buckets B_1 … B_n, n = 2^(p+q), is a matrix of 2^p rows and 2^q
// columns, b = hi·2^q + lo + 1, and
//
//	Σ b·B_b = Σ hi·2^q·(sum of row hi) + Σ (lo + 1)·(sum of column lo).
//
// The marginal sums of rows and of columns are trees of additions in pairs: about two
// for each bucket, which is the least possible (the reduction is the transpose of
// computing 1·P … n·P), all
// independent within a level.
#pragma once
#include <algorithm>

#include "../ff/limbs.cuh"

namespace cuzk {
namespace msm {

// Both trees over `points` points: whole sets, or whole rows of one. They lie as
// the buckets do, and are numbered before the sums of all levels. A level first
// adds within rows, then within columns, while there is something left to add.
struct MarginalTrees {
    uint32_t points;
    int p, q; // at least 1, for rows and columns of a set within these points

    CUZK_HD uint32_t sets() const { return points >> (p + q); }
    CUZK_HD int levels() const { return p > q ? p : q; }
    CUZK_HD uint32_t of_rows(int level) const { return level < q ? points >> (level + 1) : 0; }
    CUZK_HD uint32_t of_columns(int level) const { return level < p ? points >> (level + 1) : 0; }
    CUZK_HD uint32_t additions(int level) const { return of_rows(level) + of_columns(level); }
    // Where a level begins among the additions of all: at a full row of a warp
    // (additions_before).
    CUZK_HD uint32_t before(int level) const {
        uint32_t n = 0;
        for (int l = 0; l < level; l++) n += (additions(l) + 31) & ~31u;
        return n;
    }
    // Where the trees' input of a level begins among points and sums.
    CUZK_HD uint32_t rows_at(int level) const { return level == 0 ? 0 : points + before(level - 1); }
    CUZK_HD uint32_t columns_at(int level) const {
        return level == 0 ? 0 : points + before(level - 1) + of_rows(level - 1);
    }

    // The operands of an addition. Each tree folds blocks of points, a row or all
    // rows of a set, so that the second half falls upon the first.
    CUZK_HD void operands(int level, uint32_t i, uint32_t* a, uint32_t* b) const {
        const bool column = i >= of_rows(level);
        const int half = column ? p + q - level - 1 : q - level - 1;
        if (column) i -= of_rows(level);
        *a = (column ? columns_at(level) : rows_at(level)) + ((i >> half) << (half + 1)) + (i & ((1u << half) - 1));
        *b = *a + (1u << half);
    }
};

// How sets of 2^bits buckets are cut for levels: into some sets at a time, or
// each into pieces of some rows.
struct MarginalCut {
    int p, q;        // of a piece
    uint32_t sets;   // in a piece; 0: it cannot be done
    uint32_t pieces; // of a set

    // With room for `sums` sums of levels and `parts` weighted marginal sums.
    static MarginalCut make(int bits, int group, size_t sums, size_t parts) {
        MarginalCut c{bits / 2, bits - bits / 2, 0, 1};
        while (c.p > 1 && (size_t(2) << (c.p + c.q)) > sums) c.p--, c.pieces *= 2;
        const size_t buckets = size_t(1) << (c.p + c.q), own = c.pieces * ((size_t(1) << c.p) + (size_t(1) << c.q));
        if (c.p < 1 || 2 * buckets > sums || own > parts) return c;
        c.sets = c.pieces > 1 ? 1 : (uint32_t)std::min({(size_t)group, sums / (2 * buckets), parts / own});
        return c;
    }
};

} // namespace msm
} // namespace cuzk
