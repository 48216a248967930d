// The time that operations on the traced process take.

#include <benchmark/benchmark.h>

#include <array>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/codegen/kernel.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "profiler/subject/subject.h"

namespace assay {
namespace {

void start_subject(benchmark::State& state) {
  pin_to_processor(allowed_processors().back());
  for (auto _ : state) subject::Subject subject;
}
BENCHMARK(start_subject)->Unit(benchmark::kMicrosecond);

void stop_and_continue(benchmark::State& state) {
  pin_to_processor(allowed_processors().back());
  subject::Subject subject;
  for (auto _ : state) subject.round_trip();
}
BENCHMARK(stop_and_continue)->Unit(benchmark::kMicrosecond);

/// Runs a block that touches so many pages, all of which are missed, mapped, and unmapped again.
void miss_pages(benchmark::State& state) {
  pin_to_processor(allowed_processors().back());
  subject::Subject subject;
  // mov bl, byte ptr [rax]; add rax, 4096
  const auto block = std::get<Block>(decode(bytes_from_hex("8a18480500100000")));
  const InitialState initial = bhive_initial_state();
  const auto kernel = std::get<Kernel>(
      unroll(block, std::array{Iterations(state.range(0))}, initial, subject::kCode));
  subject.load_code(0, kernel.code);
  const std::array entries = {kernel.entries[0]};
  for (auto _ : state) {
    subject.run({entries, 1, ~0U, initial.memory_word, initial.segment_base}, {});
    subject.unmap_all();
  }
}
BENCHMARK(miss_pages)->Arg(1)->Arg(16)->Arg(128)->Unit(benchmark::kMicrosecond);

/// Makes a whole measurement, from bytes to verdict.
void measure_block(benchmark::State& state) {
  Profiler profiler(Settings{}, allowed_processors().back());
  const Bytes block = bytes_from_hex("4801d8488b03");  // add rax, rbx; mov rax, [rbx]
  for (auto _ : state) benchmark::DoNotOptimize(profiler.measure({block}));
}
BENCHMARK(measure_block)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
