#pragma once

#include <cstddef>
#include <deque>

namespace assay {

/// Takes in a value and forgets the oldest, if there are more than so many.
template <typename T>
void keep_latest(std::deque<T>& values, const T& value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

}  // namespace assay
