// One option from each of several lists, so that they cost least together and fit
// into a budget of bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace cuzk::prove {

template <class T>
struct Option {
    T what;
    size_t bytes;
    double cost;
};

// Leaves of some options those that no other beats in both bytes and cost, by
// growing bytes.
template <class T>
std::vector<Option<T>> worthwhile(std::vector<Option<T>> all) {
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.bytes != b.bytes ? a.bytes < b.bytes : a.cost < b.cost; });
    std::vector<Option<T>> kept;
    for (const auto& o : all)
        if (kept.empty() || o.cost < kept.back().cost) kept.push_back(o);
    return kept;
}

// The budget is counted in this many steps: what an option takes is rounded up,
// so that a choice always fits, and a list costs half a step on average.
constexpr size_t CHOICE_STEPS = 1024;

// The index of the chosen option in each list (worthwhile ones); empty if nothing
// fits. Dynamic programming over steps of the budget.
template <class T>
std::vector<size_t> choose(const std::vector<std::vector<Option<T>>>& lists, size_t budget) {
    const size_t step = std::max<size_t>((budget + CHOICE_STEPS - 1) / CHOICE_STEPS, 1), most = budget / step,
                 none = ~size_t(0);
    auto steps = [&](const Option<T>& o) { return (o.bytes + step - 1) / step; };
    size_t all = 0, least = 0;
    std::vector<size_t> chosen, small(lists.size(), 0);
    for (const auto& list : lists) {
        if (list.empty()) return {};
        all += list.back().bytes, least += list.front().bytes, chosen.push_back(list.size() - 1);
    }
    if (all <= budget) return chosen;
    if (least > budget) return {};

    std::vector<double> cost(most + 1, 0); // of the lists so far, within so many steps
    std::vector<std::vector<size_t>> pick(lists.size(), std::vector<size_t>(most + 1, none));
    for (size_t i = 0; i < lists.size(); i++) {
        std::vector<double> next(most + 1, 0);
        for (size_t s = 0; s <= most; s++)
            for (size_t k = 0; k < lists[i].size() && steps(lists[i][k]) <= s; k++) {
                const size_t rest = s - steps(lists[i][k]);
                if (i > 0 && pick[i - 1][rest] == none) continue;
                const double c = cost[rest] + lists[i][k].cost;
                if (pick[i][s] == none || c < next[s]) pick[i][s] = k, next[s] = c;
            }
        cost = std::move(next);
    }
    size_t left = most;
    if (pick.back()[left] == none) return small; // fits, but not in whole steps
    for (size_t i = lists.size(); i-- > 0;) {
        chosen[i] = pick[i][left];
        left -= steps(lists[i][chosen[i]]);
    }
    return chosen;
}

} // namespace cuzk::prove
