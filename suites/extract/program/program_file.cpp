#include "suites/extract/program/program_file.h"

#include <ar.h>
#include <fmt/format.h>
#include <libelf.h>
#include <cstring>

#include <algorithm>
#include <filesystem>

#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/extract/program/image_reader.h"
#include "suites/extract/program/mapped_file.h"

namespace assay {

/// Reads the members of an archive with libelf; any other file counts as its own only member.
class ProgramFile::Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path),
        name_(std::filesystem::path(path).filename().string()),
        file_(MappedFile::open(path)),
        archive_(nullptr, elf_end) {
    const auto bytes = file_->bytes();
    is_archive_ = bytes.size() >= SARMAG && std::memcmp(bytes.data(), ARMAG, SARMAG) == 0;
    if (is_archive_) open_archive();
  }

  std::optional<Image> next() {
    if (!is_archive_) return next_of_file();
    while (auto member = next_member()) {
      if (auto image = image_of(*member)) return image;
    }
    sum_up();
    if (images_ > 0) return std::nullopt;
    if (remarks_.empty()) throw InputError(path_ + " holds no members but its own tables");
    throw InputError(
        fmt::format("{} holds no object file with code for x86-64; {}", path_, remarks_.front()));
  }

  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  static constexpr std::int64_t kMostRemarks = 5;

  struct Member {
    std::string name;
    std::span<const std::uint8_t> bytes;
  };

  void open_archive() {
    elf_version(EV_CURRENT);
    const auto bytes = file_->bytes();
    if (bytes.size() == SARMAG) throw InputError(path_ + " is an archive without members");
    // The cast is safe: libelf asks for writable memory, but does not write to it.
    char* const start = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    archive_.reset(elf_memory(start, bytes.size()));
    if (!archive_) throw InputError(path_ + " is a damaged archive");
  }

  std::optional<Image> next_of_file() {
    if (images_++ > 0) return std::nullopt;
    return read_image(file_->bytes(), name_, path_, file_);
  }

  std::optional<Member> next_member() {
    while (!ended_) {
      const std::unique_ptr<Elf, int (*)(Elf*)> member(elf_begin(-1, command_, archive_.get()),
                                                       elf_end);
      if (!member) return end();
      const Elf_Arhdr* const header = elf_getarhdr(member.get());
      std::size_t size = 0;
      const char* const start = elf_rawfile(member.get(), &size);
      std::optional<Member> found;
      // Names that begin with a slash are the archive's own tables.
      if (header != nullptr && header->ar_name != nullptr && header->ar_name[0] != '/') {
        found = Member{clean(header->ar_name), checked(start, size)};
      }
      command_ = elf_next(member.get());
      ended_ = command_ == ELF_C_NULL;
      if (found) return found;
    }
    return std::nullopt;
  }

  /// Ends the reading, with a remark if the archive is damaged; the members before the damage
  /// count.
  std::optional<Member> end() {
    ended_ = true;
    const int error = elf_errno();
    if (error != 0) {
      remarks_.push_back(fmt::format("{} is damaged behind its {}. member (libelf says {})", path_,
                                     members_, clipped(elf_errmsg(error))));
    }
    return std::nullopt;
  }

  static std::string clean(std::string_view name) {
    return std::string(name.substr(0, name.find_last_not_of('/') + 1));
  }

  std::span<const std::uint8_t> checked(const char* start, std::size_t size) {
    ++members_;
    const auto file = file_->bytes();
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(start);
    if (start == nullptr || begin < file.data() || begin > file.data() + file.size()) return {};
    const auto left = static_cast<std::size_t>(file.data() + file.size() - begin);
    return {begin, std::min(size, left)};
  }

  std::optional<Image> image_of(const Member& member) {
    const std::string shown = fmt::format("{}({})", path_, member.name);
    try {
      Image image =
          read_image(member.bytes, fmt::format("{}({})", name_, member.name), shown, file_);
      ++images_;
      return image;
    } catch (const NoCodeError&) {
      ++without_code_;
    } catch (const InputError& error) {
      if (++unreadable_ <= kMostRemarks) {
        remarks_.push_back(fmt::format("passed over: {}", error.what()));
      }
    }
    return std::nullopt;
  }

  void sum_up() {
    if (unreadable_ > kMostRemarks) {
      remarks_.push_back(
          fmt::format("passed over: {} more of its members", unreadable_ - kMostRemarks));
    }
    if (without_code_ > 0) {
      remarks_.push_back(fmt::format("{} of the {} members of {} hold no machine code",
                                     without_code_, members_, name_));
    }
    unreadable_ = without_code_ = 0;
  }

  std::string path_;
  std::string name_;
  std::shared_ptr<const MappedFile> file_;
  bool is_archive_ = false;
  std::unique_ptr<Elf, int (*)(Elf*)> archive_;
  Elf_Cmd command_ = ELF_C_READ_MMAP;  ///< with other commands libelf would read from a descriptor
  bool ended_ = false;
  std::int64_t members_ = 0;
  std::int64_t images_ = 0;
  std::int64_t without_code_ = 0;
  std::int64_t unreadable_ = 0;
  std::vector<std::string> remarks_;
};

ProgramFile::ProgramFile(const std::string& path) : reader_(std::make_unique<Reader>(path)) {}
ProgramFile::ProgramFile(ProgramFile&&) noexcept = default;
ProgramFile::~ProgramFile() = default;
std::optional<Image> ProgramFile::next() { return reader_->next(); }
const std::vector<std::string>& ProgramFile::remarks() const { return reader_->remarks(); }

Image load_image(const std::string& path) {
  ProgramFile file(path);
  auto image = file.next();
  if (!image || image->name != std::filesystem::path(path).filename()) {
    throw InputError(path + " is an archive: give one program");
  }
  return std::move(*image);
}

}  // namespace assay
