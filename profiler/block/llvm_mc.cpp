#include "profiler/block/llvm_mc.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCAssembler.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCELFStreamer.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCSymbol.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/MCValue.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "profiler/block/assembly_source.h"
#include "profiler/block/written_numbers.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr const char* kTriple = "x86_64-pc-linux-gnu";

// LLVM's numbers for the two dialects of x86, the same for its parser and its printer.
constexpr unsigned kAttDialect = 0;
constexpr unsigned kIntelDialect = 1;

/// What LLVM knows about x86-64: immutable, made once, shared by all threads. No CPU is named,
/// because MC does not restrict instructions to those of a CPU: what this CPU lacks shows when the
/// block runs.
class X86 {
 public:
  static const X86& get() {
    static const X86 instance;
    return instance;
  }

  const llvm::Target& target() const { return *target_; }
  const llvm::Triple& triple() const { return triple_; }
  const llvm::MCTargetOptions& options() const { return options_; }
  const llvm::MCRegisterInfo& registers() const { return *registers_; }
  const llvm::MCAsmInfo& assembly() const { return *assembly_; }
  const llvm::MCInstrInfo& instructions() const { return *instructions_; }
  const llvm::MCSubtargetInfo& subtarget() const { return *subtarget_; }

 private:
  X86() : triple_(kTriple) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86Disassembler();
    std::string message;
    target_ = llvm::TargetRegistry::lookupTarget(kTriple, message);
    if (target_ == nullptr) throw EnvironmentError("LLVM was built without x86: " + message);
    registers_.reset(target_->createMCRegInfo(kTriple));
    assembly_.reset(target_->createMCAsmInfo(*registers_, kTriple, options_));
    instructions_.reset(target_->createMCInstrInfo());
    subtarget_.reset(target_->createMCSubtargetInfo(kTriple, "", ""));
  }

  llvm::Triple triple_;
  llvm::MCTargetOptions options_;
  const llvm::Target* target_ = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
};

// --- printing ---

/// Appends the text with tabs as spaces, and with only one of several spaces in a row.
void append_words(llvm::StringRef printed, std::string& text) {
  for (const char c : printed) {
    const char shown = c == '\t' ? ' ' : c;
    if (shown == ' ' && (text.empty() || text.back() == ' ')) continue;
    text += shown;
  }
}

class Printer {
 public:
  Printer()
      : context_(x86_.triple(), &x86_.assembly(), &x86_.registers(), &x86_.subtarget()),
        disassembler_(x86_.target().createMCDisassembler(x86_.subtarget(), context_)),
        printer_(x86_.target().createMCInstPrinter(x86_.triple(), kIntelDialect, x86_.assembly(),
                                                   x86_.instructions(), x86_.registers())) {}

  std::optional<std::string> print(llvm::ArrayRef<std::uint8_t> code) {
    std::string text;
    // LLVM decodes prefixes such as lock and rep as instructions of their own.
    while (!code.empty()) {
      llvm::MCInst instruction;
      std::uint64_t size = 0;
      if (disassembler_->getInstruction(instruction, size, code, 0, llvm::nulls()) !=
          llvm::MCDisassembler::Success) {
        return std::nullopt;
      }
      if (!text.empty()) text += ' ';
      append(instruction, text);
      code = code.drop_front(size);
    }
    return text;
  }

 private:
  void append(const llvm::MCInst& instruction, std::string& text) {
    llvm::SmallString<64> printed;
    llvm::raw_svector_ostream stream(printed);
    printer_->printInst(&instruction, 0, "", x86_.subtarget(), stream);
    append_words(printed, text);
  }

  const X86& x86_ = X86::get();
  llvm::MCContext context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

// --- assembling ---

/// Takes the place of an object file: keeps the bytes of the text section, and turns every
/// relocation into an error, because a block is not linked with anything.
class SectionWriter final : public llvm::MCObjectWriter {
 public:
  explicit SectionWriter(llvm::SmallVectorImpl<char>& bytes) : bytes_(bytes) {}

  void recordRelocation(llvm::MCAssembler& assembler, const llvm::MCFragment*,
                        const llvm::MCFixup& fixup, llvm::MCValue target, std::uint64_t&) override {
    assembler.getContext().reportError(fixup.getLoc(), complaint(target.getSymA()));
  }

  std::uint64_t writeObject(llvm::MCAssembler& assembler) override {
    llvm::raw_svector_ostream stream(bytes_);
    const llvm::MCSection* const text =
        assembler.getContext().getObjectFileInfo()->getTextSection();
    // After an error, fragments may be in a state that cannot be written.
    if (!assembler.getContext().hadError()) assembler.writeSectionData(stream, text);
    return bytes_.size();
  }

 private:
  static std::string complaint(const llvm::MCSymbolRefExpr* symbol) {
    if (symbol == nullptr) return "an absolute address cannot be a target; write it as .+N";
    const llvm::StringRef name = symbol->getSymbol().getName();
    // LLVM gives such names to numbered labels ("1f", "1b").
    if (name.starts_with(".Ltmp")) return "there is no such numbered label";
    if (name.starts_with(llvm::StringRef(kHereLabel)))
      return "'.' can stand only for the target of a branch";
    return fmt::format("'{}' is no register or number, and no label that a block can refer to",
                       name.str());
  }

  llvm::SmallVectorImpl<char>& bytes_;
};

WrittenNumbers numbers_in(const llvm::MCInst& instruction, const llvm::MCInstrDesc& description) {
  constexpr unsigned kMemoryParts = 5;  // base, scale, index, displacement, segment
  constexpr unsigned kDisplacementPart = 3;
  WrittenNumbers numbers;
  const auto kinds = description.operands();
  for (unsigned i = 0; i < instruction.getNumOperands() && i < kinds.size(); ++i) {
    const llvm::MCOperand& operand = instruction.getOperand(i);
    if (kinds[i].OperandType == llvm::MCOI::OPERAND_MEMORY) {
      // A memory operand has five parts, except the absolute address of movabs, which has two: the
      // number, then the segment.
      const bool whole = operand.isReg() && i + kMemoryParts <= instruction.getNumOperands() &&
                         instruction.getOperand(i + 1).isImm();
      const llvm::MCOperand& number =
          whole ? instruction.getOperand(i + kDisplacementPart) : operand;
      if (number.isImm()) numbers.displacement = number.getImm();
      if (whole) i += kMemoryParts - 1;
    } else if (kinds[i].OperandType == llvm::MCOI::OPERAND_IMMEDIATE && operand.isImm()) {
      numbers.immediates.push_back(operand.getImm());
    }
  }
  return numbers;
}

/// Encodes instructions as usual, and reports numbers that were truncated to fit.
class CheckingStreamer final : public llvm::MCELFStreamer {
 public:
  using llvm::MCELFStreamer::MCELFStreamer;

  void emitInstruction(const llvm::MCInst& instruction,
                       const llvm::MCSubtargetInfo& subtarget) override {
    check(instruction, subtarget);
    llvm::MCELFStreamer::emitInstruction(instruction, subtarget);
  }

 private:
  void check(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo& subtarget) {
    const auto& description = X86::get().instructions().get(instruction.getOpcode());
    const WrittenNumbers numbers = numbers_in(instruction, description);
    if (numbers.immediates.empty() && !numbers.displacement) return;
    llvm::SmallVector<char, 16> code;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    getAssembler().getEmitter().encodeInstruction(instruction, code, fixups, subtarget);
    const Bytes bytes(code.begin(), code.end());
    if (const auto lost = lost_number(bytes, numbers)) {
      getContext().reportError(instruction.getLoc(),
                               fmt::format("the number {} does not fit this instruction", *lost));
    }
  }
};

class Assembly {
 public:
  Assembly(const std::string& source, Syntax syntax) : syntax_(syntax) {
    sources_.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source, "block"), llvm::SMLoc());
    sources_.setDiagHandler([](const llvm::SMDiagnostic& diagnostic,
                               void* self) { static_cast<Assembly*>(self)->keep(diagnostic); },
                            this);
  }

  std::variant<Bytes, AssemblerMessage> run() {
    llvm::MCContext context(x86_.triple(), &x86_.assembly(), &x86_.registers(), &x86_.subtarget(),
                            &sources_, &x86_.options());
    context.setDiagnosticHandler([this](const llvm::SMDiagnostic& diagnostic, bool,
                                        const llvm::SourceMgr&,
                                        std::vector<const llvm::MDNode*>&) { keep(diagnostic); });
    const std::unique_ptr<llvm::MCObjectFileInfo> file(
        x86_.target().createMCObjectFileInfo(context, false));
    context.setObjectFileInfo(file.get());
    const bool failed = parse(context);
    if (message_) return *message_;
    if (failed) return AssemblerMessage{0, "LLVM does not assemble this, without saying why"};
    return Bytes(bytes_.begin(), bytes_.end());
  }

 private:
  /// Keeps the first error only: those after it often follow from it.
  void keep(const llvm::SMDiagnostic& diagnostic) {
    if (message_ || diagnostic.getKind() != llvm::SourceMgr::DK_Error) return;
    const char* const begin = sources_.getMemoryBuffer(sources_.getMainFileID())->getBufferStart();
    const char* const at = diagnostic.getLoc().getPointer();
    message_ = AssemblerMessage{at == nullptr ? 0 : static_cast<std::size_t>(at - begin),
                                diagnostic.getMessage().str()};
  }

  bool parse(llvm::MCContext& context) {
    const llvm::Target& target = x86_.target();
    std::unique_ptr<llvm::MCAsmBackend> backend(
        target.createMCAsmBackend(x86_.subtarget(), x86_.registers(), x86_.options()));
    std::unique_ptr<llvm::MCCodeEmitter> emitter(
        target.createMCCodeEmitter(x86_.instructions(), context));
    CheckingStreamer streamer(context, std::move(backend), std::make_unique<SectionWriter>(bytes_),
                              std::move(emitter));
    target.createNullTargetStreamer(streamer);  // the streamer owns it
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources_, context, streamer, x86_.assembly()));
    const std::unique_ptr<llvm::MCTargetAsmParser> x86_parser(
        target.createMCAsmParser(x86_.subtarget(), *parser, x86_.instructions(), x86_.options()));
    parser->setTargetParser(*x86_parser);
    parser->setAssemblerDialect(syntax_ == Syntax::kIntel ? kIntelDialect : kAttDialect);
    return parser->Run(false);
  }

  const X86& x86_ = X86::get();
  Syntax syntax_;
  llvm::SourceMgr sources_;
  llvm::SmallVector<char, 256> bytes_;
  std::optional<AssemblerMessage> message_;
};

}  // namespace

bool llvm_is_built_in() { return true; }

std::optional<std::string> print_with_llvm(std::span<const std::uint8_t> instruction) {
  thread_local Printer printer;
  return printer.print({instruction.data(), instruction.size()});
}

std::variant<Bytes, AssemblerMessage> assemble_with_llvm(const std::string& source, Syntax syntax) {
  return Assembly(source, syntax).run();
}

}  // namespace assay
