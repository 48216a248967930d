#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/block/bytes.h"
#include "profiler/support/error.h"

namespace assay {

enum class Syntax { kIntel, kAtt };

/// What is wrong in a source text, and where. what() is the whole message as a user reads it.
class AssemblyError : public InputError {
 public:
  AssemblyError(const std::string& what, std::size_t line, std::size_t column, std::string problem)
      : InputError(what), line_(line), column_(column), problem_(std::move(problem)) {}

  std::size_t line() const { return line_; }      ///< counted from 1
  std::size_t column() const { return column_; }  ///< counted from 1
  const std::string& problem() const { return problem_; }

 private:
  std::size_t line_;
  std::size_t column_;
  std::string problem_;
};

/// Whether this build can assemble (LLVM MC is an optional component).
bool can_assemble();

/// Assembles instructions separated by ';' or line ends; '#' starts a comment. Throws AssemblyError
/// with the assembler's message, the line and column and the source line for text that does not
/// assemble, for directives other than .byte, for labels that are never defined, and for anything
/// that would need a relocation. Throws InputError if there is no instruction, and
/// EnvironmentError, which says what to install, if this build has no LLVM.
Bytes assemble(std::string_view text, Syntax syntax);

}  // namespace assay
