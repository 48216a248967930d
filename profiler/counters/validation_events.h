#pragma once
#include <span>
#include <string_view>
#include "profiler/block/verdict.h"
namespace assay {
struct ValidationEvent { Reason reason; std::string_view specification; std::string_view source; bool tested; };
std::span<const ValidationEvent> validation_events(std::string_view microarchitecture);
}
