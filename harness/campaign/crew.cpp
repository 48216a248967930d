#include "harness/campaign/crew.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "profiler/support/error.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

/// How much of the time between two polls counts as a worker's silence at most.
constexpr std::chrono::milliseconds kLongestStep{200};

}  // namespace

Crew::Crew(std::vector<int> processors, const PrepareWork& prepare, nanoseconds stall_limit)
    : most_workers_(processors.size()), last_poll_(std::chrono::steady_clock::now()) {
  for (const int processor : processors) {
    posts_.push_back(std::make_unique<WorkerPost>(processor, prepare, stall_limit));
  }
}

Crew::~Crew() = default;

WorkerPost& Crew::least_loaded() const {
  return **std::ranges::min_element(posts_, {}, [](const auto& post) { return post->load(); });
}

void Crew::give(Task task) { least_loaded().give(std::move(task)); }

bool Crew::has_room() const { return least_loaded().load() < kWindow; }

bool Crew::idle() const {
  return std::ranges::all_of(posts_, [](const auto& post) { return post->load() == 0; });
}

bool Crew::ready() const {
  return std::ranges::all_of(posts_, [](const auto& post) { return post->was_ready(); });
}

void Crew::poll(std::chrono::milliseconds longest, const TakeAnswer& take) {
  std::vector<pollfd> awaited;
  for (const auto& post : posts_) {
    post->send();
    awaited.push_back(post->awaited());
  }
  if (::poll(awaited.data(), awaited.size(), static_cast<int>(longest.count())) < 0 &&
      errno != EINTR) {
    throw EnvironmentError(describe_errno("cannot wait for the workers (poll)", errno));
  }
  const auto now = std::chrono::steady_clock::now();
  const nanoseconds passed = std::min<nanoseconds>(now - last_poll_, kLongestStep);
  last_poll_ = now;
  for (const auto& post : posts_) post->serve(passed, take);
}

void Crew::end(const TakeAnswer& take) {
  for (const auto& post : posts_) post->end(take);
  waited_by_ended_ = waited_together();
  replaced_before_ = replaced();
  posts_.clear();
}

void Crew::start_over_with_one() {
  const nanoseconds first = posts_.front()->waited();
  waited_by_ended_ = waited_together() - first;
  replaced_before_ = replaced() - posts_.front()->replaced();
  posts_.resize(1);
  posts_.front()->start_over();
}

std::int64_t Crew::replaced() const {
  std::int64_t sum = replaced_before_;
  for (const auto& post : posts_) sum += post->replaced();
  return sum;
}

nanoseconds Crew::waiting() const {
  if (posts_.empty()) return {};
  return (*std::ranges::min_element(posts_, {}, [](const auto& post) { return post->waiting(); }))
      ->waiting();
}

nanoseconds Crew::waited_together() const {
  nanoseconds sum = waited_by_ended_;
  for (const auto& post : posts_) sum += post->waited();
  return sum;
}

nanoseconds Crew::waited() const {
  return waited_together() / static_cast<std::int64_t>(most_workers_);
}

}  // namespace assay
