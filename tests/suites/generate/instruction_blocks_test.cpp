#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/x87_stack.h"
#include "profiler/codegen/state_text.h"
#include "suites/generate/form_encoder.h"
#include "suites/generate/form_table.h"
#include "suites/generate/instruction_suite.h"
#include "suites/generate/latency.h"
#include "suites/generate/throughput.h"
#include "tests/suites/generate/block_flow.h"

namespace assay {
namespace {

using Places = std::set<std::string>;

constexpr const char* kForms[] = {
    "ADD r64, r64",
    "ADD r8, imm8",
    "ADC r64, m64",
    "ADCX r64, r64",
    "ADOX r64, r64",
    "CMC",
    "CMPSB",
    "SCASQ",
    "BSR r64, r64",
    "MOV r64, r64",
    "CBW",
    "MUL r8",
    "VPADDD zmm{k}, zmm, zmm",
    "BSF r64, r64",
    "BT m64, r64",
    "CMOVZ r64, r64",
    "CMPXCHG m64, r64",
    "CRC32 r64, r8",
    "DIV r64",
    "DIV m32",
    "IMUL r64, r64, imm8",
    "LEA r64, m",
    "LOCK ADD m64, r64",
    "MOV m64, r64",
    "MOV r32, m32",
    "MOVZX r32, r8",
    "MUL r64",
    "SETZ r8",
    "SHL r64, cl",
    "SHLD r64, r64, cl",
    "XADD r64, r64",
    "XCHG m64, r64",
    "PADDD mm, mm",
    "MOVQ r64, mm",
    "ADDPS xmm, m128",
    "CVTSI2SD xmm, r64",
    "PBLENDVB xmm, xmm",
    "UCOMISD xmm, xmm",
    "VADDPD xmm, xmm, xmm",
    "VFMADD231PD ymm, ymm, ymm",
    "VPSADBW ymm, ymm, m256",
    "VADDPD zmm{k}, zmm, m64bcst",
    "VADDPD zmm{k}{z}, zmm, zmm",
    "VPCMPD k{k}, zmm, zmm, imm8",
    "VPGATHERDD zmm{k}, vm32z",
    "VPGATHERDD ymm, vm32y, ymm",
    "VSCATTERDPS vm32z{k}, zmm",
    "KADDQ k, k, k",
    "KMOVQ r64, k",
};

const InstructionForm& form(const char* name) {
  const InstructionForm* found = form_named(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? instruction_forms().front() : *found;
}

/// The two operands in the name of a block, "FORM; latency READ->WRITTEN ...".
std::pair<std::string, std::string> pair_of(const CorpusEntry& entry) {
  constexpr std::string_view kLatency = "; latency ";
  const std::size_t start = entry.name.find(kLatency) + kLatency.size();
  const std::string rest = entry.name.substr(start, entry.name.find(' ', start) - start);
  const std::size_t arrow = rest.find("->");
  return {rest.substr(0, arrow), rest.substr(arrow + 2)};
}

bool meets(const Places& some, const Places& others) {
  return std::ranges::any_of(some,
                             [&](const std::string& place) { return others.contains(place); });
}

/// Updates `waiting`, the places whose values depend on a certain one, for an instruction.
void follow(const Flow& flow, const Places& reads, Places& waiting) {
  const bool waits = meets(reads, waiting);
  for (const std::string& place : flow.writes) {
    if (waits) {
      waiting.insert(place);
    } else {
      waiting.erase(place);
    }
  }
}

/// Expects that the first instruction of the form in a copy reads what the last one in the copy
/// before wrote.
void expect_chain(const CorpusEntry& entry, const std::vector<Flow>& flows,
                  const std::string& form_name) {
  const auto [read, written] = pair_of(entry);
  const auto is_form = [&](const Flow& flow) { return flow.form == form_name; };
  const auto last = std::find_if(flows.rbegin(), flows.rend(), is_form);
  ASSERT_NE(last, flows.rend()) << entry.name;
  ASSERT_TRUE(last->named.contains(written)) << entry.name;
  Places waiting = {last->named.at(written)};
  for (auto flow = last.base(); flow != flows.end(); ++flow) follow(*flow, flow->reads, waiting);
  auto flow = flows.begin();
  for (; !is_form(*flow); ++flow) follow(*flow, flow->reads, waiting);
  ASSERT_TRUE(flow->named.contains(read)) << entry.name;
  EXPECT_TRUE(waiting.contains(flow->named.at(read)))
      << entry.name << ": " << hex_from_bytes(entry.bytes);
}

/// Expects that nothing depends on an earlier copy except through the pair of operands that is
/// measured.
void expect_no_other_chain(const CorpusEntry& entry, const std::vector<Flow>& flows,
                           const std::string& form_name) {
  const auto [read, written] = pair_of(entry);
  // The dependence through a merging mask is left unbroken there, since it is shorter than the
  // pair's.
  const bool merges = form_name.find("{k},") != std::string::npos && entry.name.ends_with(" x2");
  Places waiting;
  for (const Flow& flow : flows) waiting.insert(flow.writes.begin(), flow.writes.end());
  for (int copy = 0; copy < 3; ++copy) {
    for (const Flow& flow : flows) {
      Places reads = flow.reads;
      if (flow.form == form_name && flow.named.contains(read)) reads.erase(flow.named.at(read));
      if (flow.form == form_name && merges) reads.erase(flow.named.at(written));
      follow(flow, reads, waiting);
    }
  }
  EXPECT_EQ(waiting, Places()) << entry.name << ": " << hex_from_bytes(entry.bytes);
}

TEST(LatencyBlocks, WaitForThemselvesThroughTheirPairAndNothingElse) {
  for (const char* name : kForms) {
    const FormBlocks blocks = latency_blocks(form(name));
    EXPECT_FALSE(blocks.entries.empty()) << name;
    for (const CorpusEntry& entry : blocks.entries) {
      const std::vector<Flow> flows = flows_of(entry.bytes);
      expect_chain(entry, flows, name);
      expect_no_other_chain(entry, flows, name);
    }
  }
}

/// The places that the block's name lists behind "chained by".
Places chains_of(const CorpusEntry& entry, const Flow& flow) {
  constexpr std::string_view kChained = " chained by ";
  Places places;
  const std::size_t start = entry.name.find(kChained);
  if (start == std::string::npos) return places;
  std::string rest = entry.name.substr(start + kChained.size());
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    places.insert(flow.named.at(rest.substr(0, comma)));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
  }
  return places;
}

void expect_independent(const CorpusEntry& entry, const std::string& form_name) {
  Places waiting;
  for (const Flow& flow : flows_of(entry.bytes)) {
    if (flow.form != form_name) {
      follow(flow, flow.reads, waiting);
      continue;
    }
    const Places allowed = chains_of(entry, flow);
    for (const std::string& place : flow.reads) {
      EXPECT_TRUE(!waiting.contains(place) || allowed.contains(place))
          << entry.name << ": " << place << ": " << hex_from_bytes(entry.bytes);
    }
    waiting.insert(flow.writes.begin(), flow.writes.end());
  }
}

TEST(ThroughputBlocks, HoldCopiesThatWaitForNoOther) {
  for (const char* name : kForms) {
    const FormBlocks blocks = throughput_blocks(form(name));
    EXPECT_FALSE(blocks.entries.empty()) << name;
    for (const CorpusEntry& entry : blocks.entries) expect_independent(entry, name);
  }
}

TEST(X87Blocks, LeaveTheStackAsItWas) {
  for (const char* name : {"FADD st0, st", "FADDP st, st0", "FSIN", "FSINCOS", "FLD m64",
                           "FSTP m80", "FXCH st", "FCOMI st0, st", "FPTAN", "FIADD m32", "FLD1"}) {
    std::vector<CorpusEntry> entries = throughput_blocks(form(name)).entries;
    EXPECT_EQ(entries.size(), 1U) << name;
    std::ranges::move(latency_blocks(form(name)).entries, std::back_inserter(entries));
    for (const CorpusEntry& entry : entries) {
      const auto block = decode(entry.bytes);
      ASSERT_TRUE(std::holds_alternative<Block>(block)) << entry.name;
      EXPECT_FALSE(unbalances_x87_stack(std::get<Block>(block))) << entry.name;
    }
  }
}

std::vector<CorpusEntry> suite(const std::vector<std::string>& patterns) {
  std::vector<CorpusEntry> entries;
  make_instruction_suite({.filter = {.patterns = patterns}},
                         {.block = [&](const CorpusEntry& entry) { entries.push_back(entry); }});
  return entries;
}

TEST(InstructionSuite, IsMadeTheSameWay) {
  const std::vector<CorpusEntry> entries = suite({"ADD r64, r64", "DIV r64"});
  const auto named = [&](std::string_view name) {
    const auto found = std::ranges::find(entries, name, &CorpusEntry::name);
    return found == entries.end() ? CorpusEntry{} : *found;
  };
  const CorpusEntry alternating = named("ADD r64, r64; latency 2->1 x2");
  EXPECT_EQ(hex_from_bytes(alternating.bytes), "4c89fb4801cb4c89f94801d9");
  EXPECT_EQ(alternating.state, "distinct");
  // The divisor must not be an address, and the quotient must always fit.
  EXPECT_EQ(named("DIV r64; latency rax->rax").state, "distinct rax=0x40 rdx=0x0 rbx=0x1 r13=0x0");
  for (const CorpusEntry& entry : entries) {
    EXPECT_TRUE(std::holds_alternative<Block>(decode(entry.bytes))) << entry.name;
    EXPECT_EQ(to_text(state_request_from(entry.state)), entry.state) << entry.name;
  }
}

TEST(InstructionSuite, HasNoNameTwice) {
  std::set<std::string> names;
  make_instruction_suite({}, {.block = [&](const CorpusEntry& entry) {
                           EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
                         }});
  EXPECT_GT(names.size(), 60000U);
}

struct Made {
  const char* form;
  const char* block;
  const char* code;  ///< hexadecimal
  const char* state;
};

constexpr Made kMade[] = {
    // lea rbx, [rbx + 1]: without the 1, the register renamer does it.
    {"LEA r64, m", "LEA r64, m; latency 2.base->1", "488d5b01", "distinct"},
    // A move of a register onto itself (mov rbx, rbx) would show little.
    {"MOV r64, r64", "MOV r64, r64; latency 2->1 x2", "4889cb4889d9", "distinct"},
    // vpaddd zmm1{k1}, zmm2, zmm3; vpaddd zmm2{k1}, zmm1, zmm3
    {"VPADDD zmm{k}, zmm, zmm", "VPADDD zmm{k}, zmm, zmm; latency 2->1 x2",
     "62f16d49fecb62f17549fed3", "distinct"},
    // Memory that is read as floating-point numbers is 1.0, and not subnormal.
    {"ADDPD xmm, m128", "ADDPD xmm, m128; latency 1->1", "66410f580e",
     "distinct mem=0x3ff0000000000000"},
    {"MULSS xmm, m32", "MULSS xmm, m32; latency 1->1", "f3410f590e",
     "distinct mem=0x3f8000003f800000"},
    // The jump must not depend on flags that another block has left.
    {"JZ rel8", "JZ rel8; throughput x1 with TEST r64, r64", "4d85ff7402", "distinct"},
};

TEST(InstructionSuite, HoldsTheseBlocks) {
  for (const Made& made : kMade) {
    const std::vector<CorpusEntry> entries = suite({made.form});
    const auto found = std::ranges::find(entries, made.block, &CorpusEntry::name);
    ASSERT_NE(found, entries.end()) << made.block;
    EXPECT_EQ(hex_from_bytes(found->bytes), made.code) << made.block;
    EXPECT_EQ(found->state, made.state) << made.block;
  }
}

TEST(FormEncoder, MakesEveryFormAgain) {
  for (const InstructionForm& each : instruction_forms()) {
    const auto decoded = decode_one(each.code);
    OperandChoice choice{.displacement = 64};
    int number = 1;
    for (const OperandUse& use : uses_of(*decoded)) {
      if (use.chosen) choice.registers[{use.operand, use.part}] = number++;
    }
    EXPECT_TRUE(encode_form(each, choice).has_value()) << each.name;
  }
}

}  // namespace
}  // namespace assay
