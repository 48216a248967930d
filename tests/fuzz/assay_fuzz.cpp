// The long attack on the profiler, by hand: docs/developing.md, "Fuzzing".
#include <fmt/format.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "profiler/machine/processor.h"
#include "tests/fuzz/attack.h"
#include "tests/fuzz/bundled_inputs.h"
#include "tests/fuzz/crosscheck.h"
#include "tests/fuzz/random_instruction.h"

namespace assay::fuzz {
namespace {

namespace po = boost::program_options;
using Seconds = std::chrono::duration<double>;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t count = 1'000'000;
  std::vector<std::string> corpora;
  int processor = 0;
  bool neighbours = false;
  bool decoder = false;
};

po::options_description described(Options& options) {
  po::options_description all(
      "assay_fuzz [OPTIONS]: attacks the profiler until something is wrong");
  options.processor = allowed_processors().back();
  all.add_options()("help", "print this");
  all.add_options()("seed", po::value(&options.seed)->default_value(options.seed),
                    "what all inputs come from");
  all.add_options()("first", po::value(&options.first)->default_value(options.first),
                    "number of the first input");
  all.add_options()("count", po::value(&options.count)->default_value(options.count),
                    "how many inputs");
  all.add_options()("corpus", po::value(&options.corpora)->value_name("FILE"),
                    "real blocks to mutate, beside the bundled ones; HEX,FREQUENCY if it ends in "
                    ".csv, else HEX; may be repeated");
  all.add_options()("cpu", po::value(&options.processor)->default_value(options.processor),
                    "the processor to use");
  all.add_options()("neighbours", po::bool_switch(&options.neighbours),
                    "check a known block behind each input");
  all.add_options()("decoder", po::bool_switch(&options.decoder),
                    "compare decoding with the CPU, by random instructions, instead");
  return all;
}

void print_progress(const Figures& figures, Seconds elapsed, int replaced) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{} inputs, {:.0f}/s, {} subjects replaced ", figures.inputs,
             static_cast<double>(figures.inputs) / elapsed.count(), replaced);
}

void print_figures(const Figures& figures, Seconds elapsed, int replaced) {
  fmt::print(
      "{} inputs in {:.1f} s, {:.0f}/s; {} subjects replaced; slowest {:.0f} ms, number {}\n",
      figures.inputs, elapsed.count(), static_cast<double>(figures.inputs) / elapsed.count(),
      replaced, Seconds(figures.slowest).count() * 1000, figures.slowest_number);
  for (int i = 0; i < kInputKinds; ++i) {
    fmt::print("{:>10} {}\n", figures.by_kind.at(static_cast<std::size_t>(i)),
               name(static_cast<InputKind>(i)));
  }
  for (const auto& [reason, count] : figures.by_reason) {
    fmt::print("{:>10} {} {}\n", count, name(info(reason).verdict), name(reason));
  }
}

int attack(const Options& options) {
  constexpr std::uint64_t kBetweenChecks = 1000;
  std::vector<Bytes> real = blocks_of(ASSAY_SUITES_DATA "/basics.hex");
  for (const std::string& corpus : options.corpora) {
    const std::vector<Bytes> more = blocks_of(corpus);
    real.insert(real.end(), more.begin(), more.end());
  }
  const InputSource source(options.seed, std::move(real), blocks_of(ASSAY_HOSTILE_BLOCKS));
  Attack attack(source, options.seed, options.processor);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return Seconds(std::chrono::steady_clock::now() - start); };
  std::optional<std::string> wrong;
  for (std::uint64_t i = 0; i < options.count && !wrong; ++i) {
    wrong = attack.run(options.first + i);
    if (!wrong && options.neighbours) wrong = attack.check_neighbour(options.first + i);
    if (wrong || (i + 1) % kBetweenChecks != 0) continue;
    wrong = attack.check_surroundings();
    print_progress(attack.figures(), elapsed(), attack.subjects_replaced());
  }
  if (!wrong) wrong = attack.check_surroundings();
  print_figures(attack.figures(), elapsed(), attack.subjects_replaced());
  if (!wrong) return 0;
  fmt::print(stderr, "\n{}\n(after {} inputs)\n", *wrong, attack.figures().inputs);
  return 1;
}

int crosscheck(const Options& options) {
  pin_to_processor(options.processor);
  Crosscheck crosscheck;
  const auto start = std::chrono::steady_clock::now();
  std::optional<std::string> wrong;
  for (std::uint64_t i = 0; i < options.count && !wrong; ++i) {
    Random random(options.seed + options.first + i);
    wrong = crosscheck.check(random_instruction(random));
  }
  const Crosscheck::Figures& figures = crosscheck.figures();
  fmt::print("{} instructions in {:.1f} s: {} decoded, {} compared\n", figures.given,
             Seconds(std::chrono::steady_clock::now() - start).count(), figures.decoded,
             figures.compared);
  if (!wrong) return 0;
  fmt::print(stderr, "{}\n", *wrong);
  return 1;
}

int run(int argc, char** argv) {
  Options options;
  const po::options_description all = described(options);
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, all), values);
  if (values.count("help") != 0) {
    std::ostringstream text;
    text << all;
    fmt::print("{}", text.str());
    return 0;
  }
  po::notify(values);
  return options.decoder ? crosscheck(options) : attack(options);
}

}  // namespace
}  // namespace assay::fuzz

int main(int argc, char** argv) {
  try {
    return assay::fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_fuzz: {}\n", error.what());
    return 2;
  }
}
