#include "suites/extract/program/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "profiler/block/block.h"
#include "profiler/support/error.h"
#include "suites/extract/program/byte_reader.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> names(const Image& image) {
  std::vector<std::string> found;
  for (const FunctionSymbol& symbol : image.functions) found.emplace_back(symbol.name);
  return found;
}

std::uint64_t address_of(const Image& image, std::string_view name) {
  for (const FunctionSymbol& symbol : image.functions) {
    if (symbol.name == name) return symbol.address;
  }
  ADD_FAILURE() << "no function " << name;
  return 0;
}

std::string opening_error(const std::string& path) {
  try {
    ProgramFile file(path);
    while (file.next()) {
    }
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path));
    return error.what();
  }
  return "";
}

/// A copy of the test program whose bytes can be changed, to see what is said of it then.
class ChangedProgram {
 public:
  std::string content = content_of(ASSAY_EXTRACT_PROGRAM);

  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(content.data()); }
  Elf64_Phdr& segment(std::size_t index) {
    return reinterpret_cast<Elf64_Phdr*>(content.data() + header().e_phoff)[index];
  }
  Elf64_Shdr& section(std::size_t index) {
    return reinterpret_cast<Elf64_Shdr*>(content.data() + header().e_shoff)[index];
  }
  void for_each_section(const std::function<void(Elf64_Shdr&)>& change) {
    for (std::size_t i = 0; i < header().e_shnum; ++i) change(section(i));
  }
  std::string path() { return folder_.write("changed", content); }
  std::string error() { return opening_error(path()); }

 private:
  TemporaryFolder folder_;
};

TEST(ProgramFile, ReadsAProgram) {
  const Image image = load_image(ASSAY_EXTRACT_PROGRAM);
  EXPECT_EQ(image.name, "extract_program");
  EXPECT_THAT(names(image), testing::UnorderedElementsAre("_start", "length", "leave", "chosen"));
  EXPECT_TRUE(image.has_symbol_table);
  EXPECT_TRUE(image.has_sections);
  EXPECT_THAT(image.entries, ElementsAre(address_of(image, "_start")));
  EXPECT_THAT(image.frames, SizeIs(3));
  const std::uint64_t length = address_of(image, "length");
  const auto code = image.code_at(length);
  ASSERT_GE(code.size(), 2U);
  EXPECT_EQ(hex_from_bytes({code.begin(), code.begin() + 2}), "31c0");
  EXPECT_EQ(image.function_at(length + 1)->name, "length");
  EXPECT_EQ(image.function_at(length - 1), nullptr) << "data in the code";
  EXPECT_THAT(image.bytes_at(1), IsEmpty());
  EXPECT_THAT(image.code_at(image.data.front().address), IsEmpty());
}

TEST(ProgramFile, KnowsWhatRelocationsPointTo) {
  const Image image = load_image(ASSAY_EXTRACT_RELOCATED);
  EXPECT_THAT(image.pointed_at, ElementsAre(address_of(image, "chosen")));
}

TEST(ProgramFile, GoesBySegmentsWhereThereAreNoSections) {
  ChangedProgram stripped;
  stripped.header().e_shoff = 0;
  stripped.header().e_shnum = 0;
  stripped.header().e_shstrndx = 0;
  const Image image = load_image(stripped.path());
  EXPECT_FALSE(image.has_sections);
  EXPECT_FALSE(image.has_symbol_table);
  EXPECT_THAT(image.functions, IsEmpty());
  EXPECT_THAT(image.entries, SizeIs(1));
  EXPECT_THAT(image.code_at(image.entries[0]), testing::Not(IsEmpty()));
}

TEST(ProgramFile, LaysOutAnObjectFileAsALinkerWould) {
  const Image image = load_image(ASSAY_EXTRACT_UNLINKED);
  const std::uint64_t refers = address_of(image, "refers");
  const auto code = image.code_at(refers);
  const auto decoded = decode(Bytes(code.begin(), code.begin() + 22));
  const auto* const block = std::get_if<Block>(&decoded);
  ASSERT_NE(block, nullptr);
  ASSERT_THAT(block->rip_relative, SizeIs(2));
  const auto target = [&](std::size_t index) {
    return refers + static_cast<std::uint64_t>(block->rip_relative[index].target());
  };
  const auto inside = image.bytes_at(target(0));
  EXPECT_EQ(std::string(inside.begin(), inside.begin() + 6), "inside");
  ASSERT_NE(image.import_at(target(1)), nullptr);
  EXPECT_EQ(image.import_at(target(1))->name, "outside");
  // mov ecx, fs:[-8]: an executable's own thread-local data ends at the thread pointer.
  EXPECT_EQ(hex_from_bytes({code.begin() + 14, code.begin() + 22}), "648b0c25f8ffffff");
  const std::uint64_t called = refers + 27 + PackedTable<std::int32_t>(code.subspan(23))[0];
  ASSERT_NE(image.import_at(called), nullptr);
  EXPECT_EQ(image.import_at(called)->name, "abort");
  EXPECT_THAT(image.unknown_fields, ElementsAre(address_of(image, "unknown") + 5));
}

TEST(ProgramFile, ReadsTheMembersOfAnArchive) {
  ProgramFile file(ASSAY_EXTRACT_ARCHIVE);
  std::vector<std::string> members;
  while (const auto image = file.next()) members.push_back(image->name);
  EXPECT_THAT(members,
              ElementsAre("libextract_archive.a(flow.S.o)", "libextract_archive.a(unlinked.S.o)"));
  EXPECT_THAT(file.remarks(), IsEmpty());
}

TEST(ProgramFile, PassesOverMembersThatAreNone) {
  std::string content = content_of(ASSAY_EXTRACT_ARCHIVE);
  const std::size_t first = content.find(
      "\x7f"
      "ELF");
  content[first] = 'x';
  const TemporaryFolder folder;
  const std::string path = folder.write("half.a", content);
  ProgramFile file(path);
  int images = 0;
  while (file.next()) ++images;
  EXPECT_EQ(images, 1);
  ASSERT_THAT(file.remarks(), SizeIs(1));
  EXPECT_THAT(file.remarks()[0], HasSubstr("half.a(flow.S.o) is neither"));
  EXPECT_THAT(opening_error(folder.write("none.a", "!<arch>\n")), HasSubstr("without members"));
}

TEST(ProgramFile, SaysWhatAFileIsThatIsNoProgramForThisMachine) {
  const struct {
    const char* says;
    std::function<void(ChangedProgram&)> change;
  } cases[] = {
      {"is for AArch64", [](auto& file) { file.header().e_machine = EM_AARCH64; }},
      {"is for 32-bit x86", [](auto& file) { file.header().e_machine = EM_386; }},
      {"is for 64-bit PowerPC, big-endian",
       [](auto& file) {
         file.header().e_ident[EI_DATA] = ELFDATA2MSB;
         file.header().e_machine = static_cast<Elf64_Half>(EM_PPC64 << 8);
       }},
      {"x32", [](auto& file) { file.header().e_ident[EI_CLASS] = ELFCLASS32; }},
      {"a class, a byte order or a version",
       [](auto& file) { file.header().e_ident[EI_CLASS] = ELFCLASSNONE; }},
      {"a class, a byte order or a version",
       [](auto& file) { file.header().e_ident[EI_DATA] = ELFDATANONE; }},
      {"a class, a byte order or a version",
       [](auto& file) { file.header().e_ident[EI_VERSION] = EV_NONE; }},
      {"is a core dump", [](auto& file) { file.header().e_type = ET_CORE; }},
      {"unknown type 77", [](auto& file) { file.header().e_type = 77; }},
      {"is empty", [](auto& file) { file.content.clear(); }},
      {"no whole header", [](auto& file) { file.content.resize(40); }},
      {"section table should end at byte", [](auto& file) { file.content.resize(1000); }},
      {"but the file has only",
       [](auto& file) { file.section(1).sh_size = std::uint64_t{1} << 62; }},
      {"share bytes",
       [](auto& file) {
         const std::size_t size = file.content.size();
         file.for_each_section([&](Elf64_Shdr& section) {
           section.sh_offset = 0;
           section.sh_size = section.sh_type == SHT_NULL ? 0 : size;
         });
       }},
      {"address space",
       [](auto& file) {
         file.for_each_section(
             [](Elf64_Shdr& section) { section.sh_addr = ~std::uint64_t{0} - 2; });
       }},
      {"overlap at address",
       [](auto& file) {
         file.for_each_section([](Elf64_Shdr& section) { section.sh_addr = 0x400000; });
       }},
      {"holds no machine code",
       [](auto& file) {
         file.for_each_section([](Elf64_Shdr& section) {
           section.sh_flags &= ~static_cast<Elf64_Xword>(SHF_EXECINSTR);
         });
       }},
      {"debugging information alone",
       [](auto& file) {
         file.for_each_section([](Elf64_Shdr& section) {
           if ((section.sh_flags & SHF_EXECINSTR) != 0) section.sh_type = SHT_NOBITS;
         });
       }},
  };
  for (const auto& test : cases) {
    ChangedProgram program;
    test.change(program);
    EXPECT_THAT(program.error(), HasSubstr(test.says));
  }
  const TemporaryFolder folder;
  EXPECT_THAT(opening_error(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(opening_error(folder / "missing"), HasSubstr("ENOENT"));
  EXPECT_THAT(opening_error("/dev/null"), HasSubstr("no regular file"));
  EXPECT_THAT(opening_error(folder.write("script", "#!/bin/sh\n")), HasSubstr("script"));
}

}  // namespace
}  // namespace assay
