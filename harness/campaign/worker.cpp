#include "harness/campaign/worker.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string>

#include "profiler/block/text.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// How many answers are sent together at most, and how long the first of them is kept.
constexpr int kMostKept = 32;
constexpr std::chrono::milliseconds kLongestKept{20};

/// Thrown when the campaign has ended, or wants no more answers.
struct Dismissed {};

class Worker {
 public:
  Worker(int socket, WorkerBoard& board) : socket_(socket), board_(board) {}

  void run(int processor, const PrepareWork& prepare) {
    try {
      const Work work =
          prepare(processor, [this](std::chrono::nanoseconds waited) { note_waiting(waited); });
      send(WorkerReady{});
      for (;;) answer(next_task(), work);
    } catch (const Dismissed&) {
    } catch (const InputError& error) {
      give_up(WorkerError::Kind::kInput, error.what());
    } catch (const EnvironmentError& error) {
      give_up(WorkerError::Kind::kEnvironment, error.what());
    } catch (const std::bad_alloc&) {
      give_up(WorkerError::Kind::kEnvironment, "out of memory");
    } catch (const std::exception& error) {
      give_up(WorkerError::Kind::kInternal, error.what());
    }
  }

 private:
  Task next_task() {
    for (;;) {
      if (auto message = tasks_.next()) return std::get<Task>(std::move(*message));
      if (receive(MSG_DONTWAIT)) continue;
      send_kept();
      receive(0);
    }
  }

  /// False if nothing has come yet.
  bool receive(int flags) {
    std::array<char, 65536> bytes;  // uninitialised: filling it would take longer than the rest
    for (;;) {
      const ssize_t count = recv(socket_, bytes.data(), bytes.size(), flags);
      if (count > 0) {
        tasks_.append({bytes.data(), static_cast<std::size_t>(count)});
        return true;
      }
      if (count == 0) throw Dismissed{};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
      if (errno != EINTR) throw Dismissed{};
    }
  }

  void answer(const Task& task, const Work& work) {
    board_.at_hand = task.ticket;
    ++board_.signs;
    Answer answer{task.ticket, work(task), "", {}};
    answer.evidence = answer.measurement.evidence;
    if (task.with_text) answer.text = text_of(task.block.bytes);
    board_.waiting = waiting_ = 0;
    board_.at_hand = 0;
    ++board_.signs;
    keep(answer);
  }

  void note_waiting(std::chrono::nanoseconds waited) {
    // A block that is tried once more in another way starts to wait from zero: then all of the time
    // is new.
    const std::int64_t now = waited.count();
    board_.waited += now > waiting_ ? now - waiting_ : now;
    board_.waiting = waiting_ = now;
    ++board_.signs;
    send_kept();
  }

  void keep(const Answer& answer) {
    if (kept_count_ == 0) kept_since_ = SteadyClock::now();
    kept_ += encode(answer);
    ++kept_count_;
    if (kept_count_ >= kMostKept || SteadyClock::now() - kept_since_ >= kLongestKept) send_kept();
  }

  void send_kept() {
    send_bytes(kept_);
    kept_.clear();
    kept_count_ = 0;
  }

  void send(const Message& message) {
    send_kept();
    send_bytes(encode(message));
  }

  void send_bytes(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        throw Dismissed{};
      }
    }
  }

  void give_up(WorkerError::Kind kind, const char* text) {
    try {
      send(WorkerError{kind, text});
    } catch (const Dismissed&) {
    }
  }

  int socket_;
  WorkerBoard& board_;
  MessageStream tasks_;
  std::string kept_;  ///< answers that are to be sent
  int kept_count_ = 0;
  SteadyClock::time_point kept_since_;
  std::int64_t waiting_ = 0;  ///< ns that the present block has waited, as last noted
};

}  // namespace

void run_worker(int socket, int processor, const PrepareWork& prepare, WorkerBoard& board) {
  Worker(socket, board).run(processor, prepare);
}

}  // namespace assay
