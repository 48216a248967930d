#include "harness/options/block_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "profiler/block/assembler.h"
#include "profiler/block/block.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr std::array kSources = {"hex", "asm", "att", "file"};

// The size of the largest file that is read. A block's text is longer than its bytes, but not that
// much.
constexpr std::size_t kLargestFile = 64 * kLargestBlock;

std::string read_file(const std::string& path) {
  const auto close = [](std::FILE* file) {
    if (file != stdin) std::fclose(file);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
  if (!file) throw InputError(describe_errno("cannot open " + path, errno));
  std::string content(kLargestFile + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (std::ferror(file.get())) throw InputError(describe_errno("cannot read " + path, errno));
  if (content.size() > kLargestFile) {
    throw InputError(fmt::format("{} is larger than {} bytes: too large for a single block", path,
                                 kLargestFile));
  }
  return content;
}

std::string format_of(const CommandLine::Values& values, const std::string& path) {
  if (values.count("file-format")) return values["file-format"].as<std::string>();
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".hex") return "hex";
  if (extension == ".bin") return "raw";
  if (extension == ".asm") return "asm";
  if (extension == ".s" || extension == ".S") return "att";
  throw UsageError(fmt::format(
      "the name of {} does not tell what it holds: say --file-format raw, hex, asm or att, or name "
      "it .bin, .hex, .asm or .s",
      path));
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

Bytes block_in_file(const CommandLine::Values& values, const std::string& path) {
  const std::string content = read_file(path);
  const std::string format = format_of(values, path);
  try {
    if (format == "raw") return {content.begin(), content.end()};
    if (format == "hex") return bytes_from_hex(without_blanks(content));
    if (format == "asm") return assemble(content, Syntax::kIntel);
    if (format == "att") return assemble(content, Syntax::kAtt);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  throw UsageError(fmt::format("--file-format is raw, hex, asm or att, not '{}'", format));
}

}  // namespace

void add_block_options(CommandLine& line) {
  const auto text = [](const char* placeholder) {
    return po::value<std::string>()->value_name(placeholder);
  };
  line.add()("hex", text("DIGITS"), "the block's bytes as hexadecimal digits, e.g. 4801d8");
  line.add()("asm", text("TEXT"), "the block as Intel-syntax assembly, \"add rax, rbx; inc rcx\"");
  line.add()("att", text("TEXT"), "the block as AT&T-syntax assembly, \"addq %rbx, %rax\"");
  line.add()("file", text("PATH"), "a file that holds the block (-: standard input)");
  line.add()("file-format", text("FORMAT"),
             "what the file holds: raw (machine code, .bin), hex (.hex), asm (Intel syntax, .asm), "
             "att (AT&T syntax, .s); default: by its extension");
}

Bytes block_from(const CommandLine::Values& values) {
  const auto given =
      std::ranges::count_if(kSources, [&](const char* name) { return values.count(name) > 0; });
  if (given != 1) throw UsageError("give the block by one of --hex, --asm, --att and --file");
  const auto value = [&](const char* name) { return values[name].as<std::string>(); };
  if (values.count("hex")) return bytes_from_hex(value("hex"));
  if (values.count("asm")) return assemble(value("asm"), Syntax::kIntel);
  if (values.count("att")) return assemble(value("att"), Syntax::kAtt);
  return block_in_file(values, value("file"));
}

}  // namespace assay
