#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "harness/campaign/worker_message.h"

namespace assay {

/// What a worker does with a task; the measurement must be of the task's notion.
using Work = std::function<Measurement(const Task&)>;
/// To be called now and then while a block waits for a quiet core, with the time that it has
/// waited.
using NoteWaiting = std::function<void(std::chrono::nanoseconds)>;
/// Makes a worker ready on a processor. Called once in the worker's process, before its first
/// block.
using PrepareWork = std::function<Work(int processor, const NoteWaiting& note_waiting)>;

/// What a worker shows of itself at any time, in memory that it shares with the campaign: that it
/// lives, and which block it works on, which can still be read after its death. The campaign need
/// not be woken for this.
struct WorkerBoard {
  std::atomic<std::uint64_t> signs{0};    ///< signs of life: a number that grows
  std::atomic<std::uint64_t> at_hand{0};  ///< ticket of the task that is worked on; 0: none
  std::atomic<std::int64_t> waiting{0};   ///< ns that this task has waited for a quiet core
  std::atomic<std::int64_t> waited{0};    ///< ns that all tasks together have waited
};
// No locks: one could stay taken for ever when its owner is killed.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// The life of a worker: makes itself ready, answers the tasks that come over the socket
/// (worker_message.h) in their order, and returns when the socket is closed. Answers are kept until
/// there are several, or a few milliseconds have passed, or nothing is left to do, so that the
/// campaign, which may share this core, is not woken for each. An error is sent to the campaign,
/// and ends the worker.
void run_worker(int socket, int processor, const PrepareWork& prepare, WorkerBoard& board);

}  // namespace assay
