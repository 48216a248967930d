#include "tests/fuzz/crosscheck.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "profiler/block/memory_operand.h"
#include "profiler/block/operands.h"
#include "profiler/block/register_names.h"
#include "profiler/block/text.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"

namespace assay::fuzz {
namespace {

using subject::kPageSize;

/// As flags, it sets neither TF nor AC.
constexpr std::uint64_t kFill = 0x1122'3344'5522'7000;
constexpr std::uint64_t kSegmentBase = 0x2000'0000;
constexpr std::size_t kVectorSize = 32;
constexpr int kVectors = 16;
constexpr std::uint64_t kX87Status = subject::kTrace + kVectors * kVectorSize;

/// Values that are addresses of their own, far from each other, and small counts at once for RCX.
std::array<std::uint64_t, kGeneralRegisters> usual_values() {
  std::array<std::uint64_t, kGeneralRegisters> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values.at(i) = 0x1000'0840 + 0x20'0000 * i;
  values[static_cast<std::size_t>(GeneralRegister::kRcx)] = 0x1'1040;
  return values;
}

std::uint64_t vector_word(int reg, std::size_t word) {
  return 0x3ff0'0000'3f80'0000 + 0x1'0001 * static_cast<std::uint64_t>(reg) + word;
}

std::array<std::uint64_t, kGeneralRegisters> general_of(const user_regs_struct& r) {
  return {r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi,
          r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
}

/// Whether what it computes is another thing each time.
bool is_different_each_time(const Bytes& bytes) {
  const std::string text = text_of(bytes);
  return std::ranges::any_of(std::array{"rdtsc", "rdrand", "rdseed"}, [&](const char* name) {
    return text.find(name) != std::string::npos;
  });
}

}  // namespace

Crosscheck::Crosscheck() { start(); }

void Crosscheck::start() {
  subject_ = std::make_unique<subject::Subject>();
  mappings_ = subject::Mappings(subject_->pid());
  memory_ =
      Descriptor(open(fmt::format("/proc/{}/mem", subject_->pid()).c_str(), O_RDONLY | O_CLOEXEC));
}

std::optional<std::string> Crosscheck::check(const Bytes& instruction) {
  ++figures_.given;
  const auto decoded = decode(instruction);
  const auto* const block = std::get_if<Block>(&decoded);
  if (block == nullptr || block->instructions.size() != 1 || block->final_branch ||
      !block->rip_relative.empty()) {
    return std::nullopt;
  }
  ++figures_.decoded;
  auto wrong = compare(*block);
  if (wrong) {
    wrong = fmt::format("{} ({}): {}", hex_from_bytes(instruction), text_of(instruction), *wrong);
  }
  return wrong;
}

std::optional<std::string> Crosscheck::compare(const Block& block) {
  const Left usual{usual_values(), {}, {}};
  std::optional<Left> first;
  if (auto wrong = run(block, usual, false, first)) return wrong;
  if (!first) return std::nullopt;
  Left others = usual;
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<std::size_t>(i);
    if (!block.registers.uses(static_cast<GeneralRegister>(i))) others.general[reg] += 0x5000'0000;
  }
  std::optional<Left> second;
  if (auto wrong = run(block, others, true, second)) return wrong;
  if (!second) return "it runs with some values of registers that it does not use only";
  ++figures_.compared;
  const bool varies = is_different_each_time(block.bytes);
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<std::size_t>(i);
    const std::string_view what = name(static_cast<GeneralRegister>(i));
    if (block.registers.uses(static_cast<GeneralRegister>(i))) {
      if (varies || first->general[reg] == second->general[reg]) continue;
      return fmt::format("{} depends on a register that it is said not to use", what);
    }
    const bool kept =
        first->general[reg] == usual.general[reg] && second->general[reg] == others.general[reg];
    if (!kept) return fmt::format("it changes {}", what);
  }
  if (first->pages != second->pages || (!varies && first->changed != second->changed)) {
    return "what it does to memory depends on a register that it is said not to use";
  }
  if (auto wrong = wrong_pages(block, usual, *first)) return wrong;
  return wrong_vectors(block);
}

/// Runs the block once. `left` is empty if it does not come to its end.
std::optional<std::string> Crosscheck::run(const Block& block, const Left& values,
                                           bool keeps_vectors, std::optional<Left>& left) {
  Emitter code(subject::kCode);
  for (int reg = 0; reg < kVectors; ++reg) {
    for (std::size_t word = 0; word < kVectorSize / 8; ++word) {
      code.constant(vector_word(reg, word), 8);
    }
  }
  const std::uint64_t mxcsr = code.address();
  code.constant(kAllMasked, 4);
  const std::uint64_t entry = code.address();
  code.reset_x87();
  code.load_mxcsr(mxcsr);
  for (int reg = 0; features().avx && reg < kVectors; ++reg) {
    code.load_ymm(reg, subject::kCode + static_cast<std::uint64_t>(reg) * kVectorSize, true);
  }
  for (int mask = 0; features().avx512 && mask < 8; ++mask) code.set_mask_ones(mask);
  for (int i = 0; i < kGeneralRegisters; ++i) {
    code.move_immediate(static_cast<GeneralRegister>(i),
                        values.general[static_cast<std::size_t>(i)]);
  }
  const std::uint64_t start = code.address();
  code.bytes(block.bytes);
  const std::uint64_t behind = code.address();
  for (int reg = 0; keeps_vectors && features().avx && reg < kVectors; ++reg) {
    code.store_ymm(reg, subject::kTrace + static_cast<std::uint64_t>(reg) * kVectorSize, true);
  }
  if (keeps_vectors) code.store_x87_status(kX87Status);
  const std::uint64_t end = code.address();
  for (int i = 0; i < 16; ++i) code.bytes({0xcc});
  subject_->unmap_all();
  subject_->load_code(0, code.code());
  const std::array entries = {entry};
  subject::Series series = {entries};
  series.fill_word = kFill;
  series.segment_base = kSegmentBase;
  const subject::SeriesResult result = subject_->run(series, {.pages = 64});
  if (!result.fault) return "it does not stop behind its end";
  const subject::Fault& fault = *result.fault;
  if (fault.outcome.reason == Reason::kSubjectDamaged) {
    this->start();
    return std::nullopt;
  }
  const std::uint64_t at = fault.registers.rip;
  if (fault.outcome.reason == Reason::kTrap && at == end + 1) {
    left = look(fault);
    return std::nullopt;
  }
  if (at == start) return std::nullopt;  // it faults
  if (at > behind && at <= end) return std::nullopt;
  return fmt::format("it is {} bytes long, and then the CPU stops at byte {}: {} {}",
                     block.bytes.size(), static_cast<std::int64_t>(at - start),
                     name(fault.outcome.reason), fault.outcome.detail);
}

Crosscheck::Left Crosscheck::look(const subject::Fault& fault) {
  Left left;
  left.general = general_of(fault.registers);
  const std::string fill = [] {
    std::string page(kPageSize, '\0');
    for (std::size_t i = 0; i < page.size(); i += 8) std::memcpy(page.data() + i, &kFill, 8);
    return page;
  }();
  for (const std::string_view line : subject::lines_of(mappings_.read())) {
    if (line.find("assay-frame") == std::string_view::npos) continue;
    const std::string text(line);
    const std::uint64_t end = std::stoull(text.substr(text.find('-') + 1), nullptr, 16);
    for (std::uint64_t page = std::stoull(text, nullptr, 16); page < end; page += kPageSize) {
      left.pages.insert(page);
      std::string content(kPageSize, '\0');
      const ssize_t got = pread(memory_.get(), content.data(), kPageSize, static_cast<off_t>(page));
      if (got == static_cast<ssize_t>(kPageSize) && content != fill) left.changed[page] = content;
    }
  }
  return left;
}

std::optional<std::string> Crosscheck::wrong_pages(const Block& block, const Left& before,
                                                   const Left& left) {
  constexpr std::uint8_t kEnter = 0xc8;  // its further levels are not listed
  const std::vector<MemoryOperand> operands = memory_operands(block.bytes);
  const AddressRegisters registers = {before.general, 0, kSegmentBase, kSegmentBase};
  std::set<std::uint64_t> allowed;
  struct Range {
    std::uint64_t first, last;
  };
  std::vector<Range> written;
  for (const MemoryOperand& operand : operands) {
    if (operand.repeated || operand.vector_index) return std::nullopt;
    const std::uint64_t address = address_of(operand, block.bytes.size(), registers);
    const std::uint64_t last = address + static_cast<std::uint64_t>(std::max(operand.size, 1)) - 1;
    for (std::uint64_t page = address / kPageSize; page <= last / kPageSize; ++page) {
      allowed.insert(page * kPageSize);
    }
    if (operand.write) written.push_back({address, last});
  }
  if (std::ranges::find(block.bytes, kEnter) != block.bytes.end()) return std::nullopt;
  for (const std::uint64_t page : left.pages) {
    if (!allowed.contains(page)) return fmt::format("it accesses page {:#x}", page);
  }
  if (!left.changed.empty() && !block.writes_memory) return "it writes to memory";
  for (const auto& [page, content] : left.changed) {
    for (std::size_t i = 0; i < content.size(); ++i) {
      const auto usual = static_cast<char>(kFill >> 8 * (i % 8));
      const auto inside = [&, at = page + i](const Range& range) {
        return range.first <= at && at <= range.last;
      };
      if (content[i] != usual && std::ranges::none_of(written, inside)) {
        return fmt::format("it writes to {:#x}", page + i);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> Crosscheck::wrong_vectors(const Block& block) const {
  const auto stored = subject_->trace();
  // Of an empty stack, whatever uses it sets a flag or moves its top.
  const std::uint64_t x87_status = stored[(kX87Status - subject::kTrace) / 8] & 0xffff;
  if (!block.registers.x87 && x87_status != 0) return "it uses the x87 unit";
  if (!features().avx) return std::nullopt;
  for (int reg = 0; reg < kVectors; ++reg) {
    if (block.registers.uses_vector(reg)) continue;
    for (std::size_t word = 0; word < kVectorSize / 8; ++word) {
      const std::size_t at = static_cast<std::size_t>(reg) * (kVectorSize / 8) + word;
      if (stored[at] != vector_word(reg, word)) return fmt::format("it changes YMM{}", reg);
    }
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
