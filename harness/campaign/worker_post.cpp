#include "harness/campaign/worker_post.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/block/text.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr int kMostDeaths = 10;

[[noreturn]] void throw_as_worker(const WorkerError& error) {
  switch (error.kind) {
    case WorkerError::Kind::kInput:
      throw InputError(error.text);
    case WorkerError::Kind::kEnvironment:
      throw EnvironmentError(error.text);
    case WorkerError::Kind::kInternal:
      break;
  }
  throw Error(error.text);
}

std::string seconds_text(std::chrono::nanoseconds duration) {
  return fmt::format("{:g} s", std::chrono::duration<double>(duration).count());
}

}  // namespace

WorkerPost::WorkerPost(int processor, PrepareWork prepare, std::chrono::nanoseconds stall_limit)
    : processor_(processor), prepare_(std::move(prepare)), stall_limit_(stall_limit) {
  start();
}

void WorkerPost::start() {
  process_ = std::make_unique<WorkerProcess>(processor_, prepare_);
  messages_ = {};
  unsent_.clear();
  sent_ = 0;
  signs_ = 0;
  silent_ = {};
}

void WorkerPost::give(Task task) { tasks_.push_back({std::move(task)}); }

std::chrono::nanoseconds WorkerPost::waiting() const {
  return std::chrono::nanoseconds(process_->board().waiting);
}

std::chrono::nanoseconds WorkerPost::waited() const {
  return waited_before_ + std::chrono::nanoseconds(process_->board().waited);
}

pollfd WorkerPost::awaited() const {
  const bool has_to_send = !unsent_.empty();
  return {process_->socket(), static_cast<short>(has_to_send ? POLLIN | POLLOUT : POLLIN), 0};
}

void WorkerPost::serve(std::chrono::nanoseconds passed, const TakeAnswer& take) {
  try {
    if (!receive(take)) return replace("", take);
  } catch (const BrokenMessage& broken) {
    return replace(fmt::format("sent an invalid answer ({})", broken.what()), take);
  }
  if (stalls(passed)) {
    replace(fmt::format("gave no sign of life for {}", seconds_text(stall_limit_)), take);
  }
}

/// Takes what the worker has sent so far; false if it has ended.
bool WorkerPost::receive(const TakeAnswer& take) {
  std::string bytes;
  const WorkerProcess::Received received = process_->receive(bytes);
  messages_.append(bytes);
  while (auto message = messages_.next()) handle(std::move(*message), take);
  return received != WorkerProcess::Received::kEnd;
}

void WorkerPost::handle(Message&& message, const TakeAnswer& take) {
  if (auto* const answer = std::get_if<Answer>(&message)) {
    take_answer(std::move(*answer), take);
  } else if (std::holds_alternative<WorkerReady>(message)) {
    was_ready_ = true;
  } else if (const auto* const error = std::get_if<WorkerError>(&message)) {
    if (!ending_) throw_as_worker(*error);
  } else {
    throw BrokenMessage("a task");
  }
}

void WorkerPost::take_answer(Answer&& answer, const TakeAnswer& take) {
  // Workers answer tasks in their order, so that this must be the answer to the first one.
  if (sent_ == 0 || answer.ticket != tasks_.front().task.ticket ||
      answer.measurement.notion != tasks_.front().task.notion) {
    throw BrokenMessage("of a task that it does not have");
  }
  tasks_.pop_front();
  --sent_;
  deaths_ = 0;
  take(std::move(answer));
}

/// Sends all tasks that are not sent yet; if the first one is suspect, only that one.
void WorkerPost::send() {
  const bool alone = !tasks_.empty() && tasks_.front().suspect;
  const std::size_t wanted = alone ? 1 : tasks_.size();
  for (; sent_ < wanted; ++sent_) unsent_ += encode(tasks_[sent_].task);
  if (!unsent_.empty()) unsent_.erase(0, process_->send(unsent_));
}

bool WorkerPost::stalls(std::chrono::nanoseconds passed) {
  // A worker without tasks need not give signs of life, except before it is ready.
  const std::uint64_t signs = process_->board().signs;
  const bool lives = signs != signs_ || (tasks_.empty() && was_ready_);
  signs_ = signs;
  silent_ = lives ? std::chrono::nanoseconds{} : silent_ + passed;
  return silent_ > stall_limit_;
}

/// Takes what a worker sent before it ended.
void WorkerPost::receive_rest(const TakeAnswer& take) {
  try {
    while (receive(take)) {
    }
  } catch (const BrokenMessage&) {  // nothing more can be read from this worker
  }
}

void WorkerPost::end(const TakeAnswer& take) {
  ending_ = true;
  process_->kill();
  receive_rest(take);
}

void WorkerPost::start_over() {
  process_->kill();
  waited_before_ = waited();
  start();
}

/// Replaces the worker. `how`: why it had to be ended; empty if it ended by itself.
void WorkerPost::replace(std::string how, const TakeAnswer& take) {
  const std::string end = process_->kill();
  if (how.empty()) how = end;
  receive_rest(take);
  waited_before_ = waited();
  ++deaths_;
  blame(process_->board().at_hand, how, take);
  if (deaths_ >= kMostDeaths) {
    throw EnvironmentError(fmt::format(
        "the worker on processor {} has ended {} times without an outcome, the last time {}: "
        "is the machine short of memory, or is something killing the workers? If not, please "
        "report it",
        processor_, deaths_, how));
  }
  start();
  ++replaced_;
}

void WorkerPost::blame(std::uint64_t ticket, const std::string& how, const TakeAnswer& take) {
  const auto guilty =
      std::ranges::find(tasks_, ticket, [](const Given& g) { return g.task.ticket; });
  if (guilty == tasks_.end()) return;
  Given given = std::move(*guilty);
  tasks_.erase(guilty);
  if (!given.suspect) {
    given.suspect = true;
    tasks_.push_front(std::move(given));
    return;
  }
  Answer answer{.ticket = given.task.ticket, .measurement = {}, .text = "", .evidence = {}};
  // Decoding the block may be what the workers died of: its text is its bytes.
  if (given.task.with_text) answer.text = raw_text_of(given.task.block.bytes);
  answer.measurement.notion = given.task.notion;
  answer.measurement.settled = false;
  answer.measurement.outcome = {
      Reason::kHarnessFault,
      fmt::format("the worker on processor {} {}, for the second time at this block; please "
                  "report it with the block's bytes",
                  processor_, how)};
  deaths_ = 0;
  take(std::move(answer));
}

}  // namespace assay
