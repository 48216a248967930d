#include "harness/options/state_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/block/assembler.h"
#include "profiler/block/register_names.h"
#include "profiler/subject/layout.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

namespace po = boost::program_options;

using Texts = std::vector<std::string>;

constexpr const char* kOwn = "own";  // as the number of frames

std::uint64_t value_from(const char* option, std::string_view text) {
  if (const auto value = parse_number(text)) return *value;
  throw UsageError(fmt::format("--{}: '{}' is no number of 64 bits, decimal or hexadecimal (0x...)",
                               option, text));
}

StateOverrides::Register register_from(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) {
    throw UsageError(fmt::format("--reg: '{}' is not NAME=VALUE, e.g. rax=0x1000", text));
  }
  const std::string name = text.substr(0, sign);
  const auto reg = named<GeneralRegister>(name);
  if (!reg) {
    throw UsageError(
        fmt::format("--reg: '{}' is no general register of 64 bits (rax to r15)", name));
  }
  return {*reg, value_from("reg", std::string_view(text).substr(sign + 1))};
}

std::vector<StateOverrides::Register> registers_from(const Texts& texts) {
  std::vector<StateOverrides::Register> registers;
  for (const std::string& text : texts) {
    const StateOverrides::Register one = register_from(text);
    if (std::ranges::find(registers, one.reg, &StateOverrides::Register::reg) != registers.end()) {
      throw UsageError(fmt::format("--reg: {} is set twice: give it one value", name(one.reg)));
    }
    registers.push_back(one);
  }
  return registers;
}

Bytes assembled(const std::string& text) {
  try {
    return assemble(text, Syntax::kIntel);
  } catch (const InputError& error) {
    throw UsageError(fmt::format("--init-asm: {}", error.what()));
  }
}

Bytes init_code_from(const std::string& text) {
  const Bytes code = assembled(text);
  const auto decoded = decode(code);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    throw UsageError(fmt::format("--init-asm: it cannot run ({}): {}",
                                 name(refusal->outcome.reason), refusal->outcome.detail));
  }
  const Block& block = std::get<Block>(decoded);
  if (block.final_branch) throw UsageError("--init-asm: it must not end with a branch");
  if (!block.rip_relative.empty()) {
    throw UsageError("--init-asm: it must not have an operand relative to RIP");
  }
  if (code.size() > kLargestInitCode) {
    throw UsageError(fmt::format("--init-asm: {} bytes of machine code are more than {}",
                                 code.size(), kLargestInitCode));
  }
  return code;
}

int frames_from(const std::string& text) {
  if (text == kOwn) return subject::kOwnFrames;
  const auto frames = parse_number(text).value_or(0);
  if (frames < 1 || frames > subject::kMaxFrames) {
    throw UsageError(fmt::format("--frames must be from 1 to {}, or '{}', not '{}'",
                                 subject::kMaxFrames, kOwn, text));
  }
  return static_cast<int>(frames);
}

}  // namespace

void add_state_options(CommandLine& line) {
  const Settings defaults;
  const auto text = [](const char* placeholder) {
    return po::value<std::string>()->value_name(placeholder);
  };
  line.add()(
      "state", text("NAME")->default_value(defaults.initial_state),
      fmt::format("registers and memory before each run (docs/measuring.md; under --protocol "
                  "bhive, bhive unless given): {}",
                  fmt::join(initial_state_names(), ", "))
          .c_str());
  line.add()("no-fallback-states",
             "do not try other states when a block cannot run under that one");
  line.add()("reg", po::value<Texts>()->value_name("NAME=VALUE"),
             "sets a general register to this value, e.g. rcx=16 or rax=0x1000; can be repeated");
  line.add()("mem", text("VALUE"),
             "the 8-byte word that all memory is filled with, in place of the state's");
  line.add()("init-asm", text("TEXT"),
             "Intel-syntax assembly that runs untimed after registers are loaded");
  line.add()(
      "frames", text("N"),
      "number of physical pages (frames) that virtual pages are mapped to in turn; or 'own', "
      "each to one of its own");
}

void read_state_options(const CommandLine::Values& values, Settings& settings) {
  if (!values["state"].defaulted()) settings.initial_state = values["state"].as<std::string>();
  if (!initial_state_named(settings.initial_state)) {
    throw UsageError(fmt::format("no state '{}'; there are: {}", settings.initial_state,
                                 fmt::join(initial_state_names(), ", ")));
  }
  settings.fallback_states = values.count("no-fallback-states") == 0;
  StateOverrides& overrides = settings.state_overrides;
  if (values.count("reg")) overrides.registers = registers_from(values["reg"].as<Texts>());
  if (values.count("mem"))
    overrides.memory_word = value_from("mem", values["mem"].as<std::string>());
  if (values.count("init-asm")) {
    overrides.code = init_code_from(values["init-asm"].as<std::string>());
  }
  if (values.count("frames")) overrides.frames = frames_from(values["frames"].as<std::string>());
}

}  // namespace assay
