#include "profiler/block/table_jump.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

/// A path of instructions in a row from 0x1000 on; it follows the jumps that `taken` names.
class Path {
 public:
  explicit Path(std::vector<std::string> hex, std::size_t taken = 99) {
    std::uint64_t address = 0x1000;
    for (const std::string& each : hex) code_.push_back(bytes_from_hex(each));
    for (std::size_t i = 0; i < code_.size(); ++i) {
      steps_.push_back({code_[i], address, i == taken});
      address += code_[i].size();
    }
  }
  std::optional<TableJump> jump(const ConstantRegisters* constants = nullptr) const {
    return table_jump(steps_, constants);
  }
  bool is_plain() const { return jumps_to_plain_pointer(steps_); }

 private:
  std::vector<Bytes> code_;
  std::vector<PathStep> steps_;
};

TEST(TableJump, OfEntriesRelativeToTheTable) {
  // cmp edi, 5; ja; lea rdx, [rip + 0xff4]; movsxd rax, [rdx + rdi * 4]; add rax, rdx; jmp rax
  const auto found =
      Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "4801d0", "ffe0"}).jump();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->table, 0x2000U);
  EXPECT_EQ(found->entries, 6U);
  EXPECT_EQ(found->base, 0x2000U);
}

TEST(TableJump, InTheFormsThatCompilersWrite) {
  const struct {
    const char* what;
    Path path;
    std::uint64_t entries;
    bool relative;
  } cases[] = {
      {"an index of 8 bits: cmp al, 5; ja; movzx edx, al; ...",
       Path({"3c05", "7710", "0fb6d0", "488d0df20f0000", "48630491", "4801c8", "ffe0"}), 6, true},
      {"copied: cmp edi, 5; ja; mov eax, edi; ...",
       Path({"83ff05", "7710", "89f8", "488d15f20f0000", "48630482", "4801d0", "ffe0"}), 6, true},
      {"jae", Path({"83ff05", "7310", "488d15f40f0000", "486304ba", "4801d0", "ffe0"}), 5, true},
      {"jbe, taken", Path({"83ff05", "7610", "488d15f40f0000", "486304ba", "4801d0", "ffe0"}, 1), 6,
       true},
      {"add base, entry; notrack jmp",
       Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "4801c2", "3effe2"}), 6, true},
      {"lea rax, [rdx + rax]",
       Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "488d0402", "ffe0"}), 6, true},
      {"mov eax, [rdx + rdi * 4]; cdqe",
       Path({"83ff05", "7710", "488d15f40f0000", "8b04ba", "4898", "4801d0", "ffe0"}), 6, true},
      {"cmp dword [rsp + 8], 5; ja; mov edi, [rsp + 8]",
       Path({"837c240805", "7710", "8b7c2408", "488d15ee0f0000", "486304ba", "4801d0", "ffe0"}), 6,
       true},
      {"gcc -O0: cmp dword [rbp - 4], 5; ja; mov eax, [rbp - 4]; lea rdx, [rax * 4]; lea rax, T; "
       "mov eax, [rdx + rax]; cdqe; lea rdx, T; add rax, rdx",
       Path({"837dfc05", "7777", "8b45fc", "488d148500000000", "488d05e80f0000", "8b0402", "4898",
             "488d15dc0f0000", "4801d0", "ffe0"}),
       6, true},
      {"the same of a register: cmp eax, 5; ja; mov eax, eax; ...",
       Path({"83f805", "7777", "89c0", "488d148500000000", "488d05ea0f0000", "8b0402", "4898",
             "488d15de0f0000", "4801d0", "ffe0"}),
       6, true},
      {"clang -O0: mov [rbp - 16], rax; sub rax, 5; ja; mov rax, [rbp - 16]; lea rcx, T; ...",
       Path({"8b45f8", "488945f0", "4883e805", "0f8792000000", "488b45f0", "488d0de40f0000",
             "48630481", "4801c8", "ffe0"}),
       6, true},
      {"jmp [rdi * 8 + 0x2000]", Path({"83ff05", "7710", "ff24fd00200000"}), 6, false},
      {"mov rax, [rdi * 8 + 0x2000]; jmp rax", Path({"83ff05", "7710", "488b04fd00200000", "ffe0"}),
       6, false},
      {"lea rdx, [rip + N]; jmp [rdx + rdi * 8]",
       Path({"83ff05", "7710", "488d15f40f0000", "ff24fa"}), 6, false},
  };
  for (const auto& test : cases) {
    const auto found = test.path.jump();
    ASSERT_TRUE(found) << test.what;
    EXPECT_EQ(found->table, 0x2000U) << test.what;
    EXPECT_EQ(found->entries, test.entries) << test.what;
    EXPECT_EQ(found->base.has_value(), test.relative) << test.what;
  }
}

TEST(TableJump, IsNoneWhereAnythingIsNotSure) {
  const struct {
    const char* what;
    Path path;
  } cases[] = {
      {"no comparison", Path({"488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"of another register",
       Path({"83fe05", "7710", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"the index is changed since (add edi, 1)",
       Path({"83ff05", "7710", "83c701", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"a signed comparison (jg)",
       Path({"83ff05", "7f10", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"the way of what is above (ja, taken)",
       Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "4801d0", "ffe0"}, 1)},
      {"other flags (test edi, edi)",
       Path({"83ff05", "85ff", "7710", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"a mask", Path({"83e707", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"an unknown table", Path({"83ff05", "7710", "486304ba", "4801d0", "ffe0"})},
      {"another base", Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "4801c8", "ffe0"})},
      {"in memory, written since", Path({"837c240805", "7710", "8903", "8b7c2408", "488d15ee0f0000",
                                         "486304ba", "4801d0", "ffe0"})},
      {"a call in between",
       Path({"83ff05", "7710", "ffd0", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"more entries than any table has",
       Path({"81ffffffff7f", "7710", "488d15f40f0000", "486304ba", "4801d0", "ffe0"})},
      {"by an offset, of one table and relative to another",
       Path({"83f805", "7777", "488d148500000000", "488d05ec0f0000", "8b0402", "4898",
             "488d15e40f0000", "4801d0", "ffe0"})},
      {"an offset of 8 * index", Path({"83f805", "7777", "488d14c500000000", "488d05ec0f0000",
                                       "8b0402", "4898", "488d15e00f0000", "4801d0", "ffe0"})},
      {"an offset of 4 * index + 4", Path({"83f805", "7777", "488d148504000000", "488d05ec0f0000",
                                           "8b0402", "4898", "488d15e00f0000", "4801d0", "ffe0"})},
      {"by an offset, without a comparison",
       Path({"89c0", "488d148500000000", "488d05ef0f0000", "8b0402", "4898", "488d15e30f0000",
             "4801d0", "ffe0"})},
      {"what a subtraction leaves (no load in between)",
       Path({"4883e805", "0f8792000000", "488d0def0f0000", "48630481", "4801c8", "ffe0"})},
      {"stored, and memory written since (mov [rbx], ecx)",
       Path({"488945f0", "890b", "4883e805", "0f8792000000", "488b45f0", "488d0de50f0000",
             "48630481", "4801c8", "ffe0"})},
      {"half of it stored (mov [rbp - 16], eax)",
       Path({"8945f0", "4883e805", "0f8792000000", "488b45f0", "488d0de80f0000", "48630481",
             "4801c8", "ffe0"})},
      {"another place loaded (mov rax, [rbp - 8])",
       Path({"488945f0", "4883e805", "0f8792000000", "488b45f8", "488d0de70f0000", "48630481",
             "4801c8", "ffe0"})},
      {"no jump at the end", Path({"83ff05", "7710", "488d15f40f0000", "486304ba", "4801d0"})},
      {"nothing", Path({})},
  };
  for (const auto& test : cases) EXPECT_FALSE(test.path.jump()) << test.what;
}

TEST(TableJump, TakesATableThatARegisterHoldsThroughout) {
  // lea rbx, [rip + 0xff9] at 0x1000; cmp edi, 5; ja; movsxd rax, [rbx + rdi * 4]; ...
  const Path path({"83ff05", "7710", "486304bb", "4801d8", "ffe0"});
  const Bytes lea = bytes_from_hex("488d1df90f0000");
  ConstantRegisters constants;
  constants.see(lea, 0x1000);
  constants.see(bytes_from_hex("5b"), 0x1100);  // pop rbx
  EXPECT_EQ(constants.value(GeneralRegister::kRbx), 0x2000U);
  const auto found = path.jump(&constants);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->table, 0x2000U);
  ConstantRegisters spoilt = constants;
  spoilt.see(bytes_from_hex("89c3"), 0x1200);  // mov ebx, eax
  EXPECT_FALSE(path.jump(&spoilt));
  ConstantRegisters two = constants;
  two.see(lea, 0x1200);  // another address
  EXPECT_FALSE(path.jump(&two));
  ConstantRegisters lost;
  lost.see(bytes_from_hex("488d15f90f0000"), 0x1000);  // lea rdx: calls change it
  EXPECT_EQ(lost.value(GeneralRegister::kRdx), std::nullopt);
}

TEST(TableJump, IsToldFromAPlainPointer) {
  EXPECT_TRUE(Path({"488b07", "ff6010"}).is_plain());        // mov rax, [rdi]; jmp [rax + 16]
  EXPECT_TRUE(Path({"488b4710", "ffe0"}).is_plain());        // mov rax, [rdi + 16]; jmp rax
  EXPECT_TRUE(Path({"488b05f90f0000", "ffe0"}).is_plain());  // mov rax, [rip + N]; jmp rax
  EXPECT_FALSE(Path({"ffe0"}).is_plain());
  EXPECT_FALSE(Path({"488b04fd00200000", "ffe0"}).is_plain());
  EXPECT_FALSE(Path({"488d15f40f0000", "486304ba", "4801d0", "ffe0"}).is_plain());
}

}  // namespace
}  // namespace assay
