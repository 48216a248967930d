// The time that a block takes before it runs.

#include <benchmark/benchmark.h>

#include <variant>

#include "profiler/block/assembler.h"
#include "profiler/block/block.h"
#include "profiler/block/text.h"
#include "profiler/codegen/kernel.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

// push rbx; lea rdi, [rsi + 8*rax]; mov rax, [rdi]; add rax, rcx; mov [rdi], rax; cmp rax, rdx; pop
// rbx
const Bytes& typical_block() {
  static const Bytes bytes = bytes_from_hex(
      "53488d3cc6488b074801c8488907"
      "4839d05b");
  return bytes;
}

void decode_block(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(decode(typical_block()));
}
BENCHMARK(decode_block);

void print_block(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(text_of(typical_block()));
}
BENCHMARK(print_block);

void assemble_block(benchmark::State& state) {
  if (!can_assemble()) {
    state.SkipWithError("this build has no LLVM");
    return;
  }
  const std::string text = text_of(typical_block());
  for (auto _ : state) benchmark::DoNotOptimize(assemble(text, Syntax::kIntel));
}
BENCHMARK(assemble_block);

void unroll_block(benchmark::State& state) {
  const auto block = std::get<Block>(decode(typical_block()));
  const InitialState initial = bhive_initial_state();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        unroll(block, std::array{Iterations(state.range(0))}, initial, subject::kCode));
  }
}
BENCHMARK(unroll_block)->Arg(72)->Arg(144);

}  // namespace
}  // namespace assay
