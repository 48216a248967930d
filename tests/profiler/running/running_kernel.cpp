#include "tests/profiler/running/running_kernel.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "profiler/codegen/initial_state.h"
#include "profiler/machine/features.h"
#include "tests/profiler/codegen/entry_jump.h"

namespace assay {
namespace {

constexpr std::array<std::uint8_t, 3> kLfence = {0x0f, 0xae, 0xe8};
constexpr std::size_t kJump = 1;     // the bytes of a JMP in front of its distance
constexpr std::size_t kFarJump = 3;  // likewise, of one through a far pointer
constexpr std::size_t kLongestEntry = 4096;
constexpr std::size_t kLongestBody = 32 * 1024;

using CodeView = std::span<const std::uint8_t>;
using GeneralValues = decltype(InitialState::general);

bool starts_with(CodeView code, CodeView what) {
  return code.size() >= what.size() && std::ranges::equal(code.first(what.size()), what);
}

template <typename Number>
Number number_at(CodeView code, std::size_t offset) {
  Number number{};
  if (offset + sizeof(number) > code.size()) throw std::runtime_error("no kernel: it is cut short");
  std::memcpy(&number, code.data() + offset, sizeof(number));
  return number;
}

/// The values that an entry loads into the general registers, by "mov REG, imm32" or "mov REG,
/// imm64" for all of them but RSP, in order. Nothing if the code is something else.
std::optional<GeneralValues> values_loaded_by(CodeView code) {
  constexpr std::size_t kRsp = 4;
  GeneralValues values{};
  std::size_t at = 0;
  for (std::size_t reg = 0; reg < values.size(); ++reg) {
    if (reg == kRsp) continue;
    if (at + 10 > code.size()) return std::nullopt;
    const bool wide = (code[at] & 0xfe) == 0x48;
    const bool high = wide ? (code[at] & 1) != 0 : code[at] == 0x41;
    at += wide || high ? 1 : 0;
    if (high != (reg >= 8) || code[at] != (0xb8 | (reg & 7))) return std::nullopt;
    values.at(reg) =
        wide ? number_at<std::uint64_t>(code, at + 1) : number_at<std::uint32_t>(code, at + 1);
    at += wide ? 9 : 5;
  }
  return values;
}

/// The number of iterations of a loop whose end, "dec REG; jnz", is at the start of `end`; nothing
/// if there is no such end.
std::optional<std::int64_t> iterations_of(CodeView end, CodeView entry) {
  const bool decrement = end.size() > 4 && (end[0] & 0xfe) == 0x48 && end[1] == 0xff &&
                         (end[2] & 0xf8) == 0xc8 && (end[3] == 0x75 || end[3] == 0x0f);
  if (!decrement) return std::nullopt;
  const std::size_t reg = (end[0] & 1) << 3 | (end[2] & 7);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    if (const auto values = values_loaded_by(entry.subspan(i))) {
      return static_cast<std::int64_t>(values->at(reg));
    }
  }
  return std::nullopt;
}

}  // namespace

RunningKernel::RunningKernel(pid_t process)
    : memory_(open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC)) {}

const subject::Request& RunningKernel::request() {
  read(&request_, offsetof(subject::Request, pages), subject::kRequest);
  return request_;
}

const subject::Report& RunningKernel::report() {
  read(&report_, offsetof(subject::Report, readings), subject::kReport);
  return report_;
}

void RunningKernel::read(void* to, std::size_t size, std::uint64_t address) const {
  if (pread(memory_.get(), to, size, static_cast<off_t>(address)) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("the subject's memory cannot be read");
  }
}

Bytes RunningKernel::code_at(std::uint64_t address, std::size_t size) const {
  const std::uint64_t end = subject::kCode + subject::kCodeSize;
  if (address < subject::kCode || address >= end) throw std::runtime_error("no kernel lies there");
  Bytes code(std::min<std::uint64_t>(size, end - address));
  read(code.data(), code.size(), address);
  return code;
}

RunningCopies RunningKernel::copies_of(std::uint64_t entry, std::span<const Bytes> blocks) const {
  const Bytes front = code_at(entry, kLongestEntry);
  const bool far = features().code_segment != 0;
  const auto jump = entry_jump(front);
  if (!jump) throw std::runtime_error("no kernel: it does not start its copies");
  const std::size_t behind = *jump + (far ? kFarJump : kJump);
  const auto distance = static_cast<std::uint64_t>(number_at<std::int32_t>(front, behind));
  const std::uint64_t named = entry + behind + sizeof(std::int32_t) + distance;
  const std::uint64_t target =
      far ? number_at<std::uint64_t>(code_at(named, sizeof(std::uint64_t)), 0) : named;
  const Bytes body = code_at(target, kLongestBody);
  const CodeView entry_code = CodeView(front).first(behind);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CodeView rest = body;
    std::int64_t copies = 0;
    for (; starts_with(rest, blocks[i]); ++copies) rest = rest.subspan(blocks[i].size());
    if (starts_with(rest, kLfence)) return {i, copies, 0};
    if (const auto iterations = iterations_of(rest, entry_code))
      return {i, copies * *iterations, *iterations};
  }
  return {RunningCopies::kOther,
          std::search(body.begin(), body.end(), kLfence.begin(), kLfence.end()) - body.begin(), 0};
}

}  // namespace assay
