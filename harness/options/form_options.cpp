#include "harness/options/form_options.h"

#include <fmt/ranges.h>

#include "profiler/machine/instruction_support.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const CommandLine::Values& values, const char* name) {
  return values.count(name) ? values[name].as<Texts>() : Texts();
}

}  // namespace

void add_form_options(CommandLine& line) {
  namespace po = boost::program_options;
  line.add()("filter", po::value<Texts>()->value_name("TEXT"),
             "only forms whose name or mnemonic fits: 'VADD*', 'ADD r64, *', or a regular "
             "expression that is found in the name, '/^V?ADD[SP]D /'; again for more");
  line.add()(
      "extension", po::value<Texts>()->value_name("NAME"),
      "only forms of this instruction set: AVX2, bmi1, AVX512F, AVX512F_256; again for more");
  line.add()("all-cpus", "forms that this CPU lacks too");
}

FormFilter form_filter_from(const CommandLine::Values& values) {
  FormFilter filter;
  filter.patterns = texts(values, "filter");
  filter.extensions = texts(values, "extension");
  filter.feature_of = extension_of;
  if (!values.count("all-cpus")) filter.missing_feature = missing_feature;
  return filter;
}

std::vector<std::pair<std::string, std::string>> form_facts(const CommandLine::Values& values) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const char* name : {"filter", "extension"}) {
    if (!values.count(name)) continue;
    facts.emplace_back(name, fmt::format("{}", fmt::join(texts(values, name), " or ")));
  }
  return facts;
}

}  // namespace assay
