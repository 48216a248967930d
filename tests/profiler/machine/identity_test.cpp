#include "profiler/machine/identity.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "profiler/machine/cpuid.h"
#include "profiler/machine/microarchitecture.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

std::uint32_t four(const char* characters) {
  std::uint32_t value = 0;
  std::memcpy(&value, characters, sizeof value);
  return value;
}

/// A CPU that gives fixed answers to CPUID, and zeros to all other leaves.
class MadeUpCpu {
 public:
  /// `vendor` has 12 characters, `version` is EAX of leaf 1.
  MadeUpCpu(const char* vendor, std::uint32_t version) {
    answers_[0] = {0x20, four(vendor), four(vendor + 8), four(vendor + 4)};
    answers_[1].eax = version;
  }
  CpuidAnswer& operator[](std::uint32_t leaf) { return answers_[leaf]; }
  Machine machine() { return machine_from(cpuid()); }
  Cpuid cpuid() {
    return [this](std::uint32_t leaf) { return answers_[leaf]; };
  }

 private:
  std::map<std::uint32_t, CpuidAnswer> answers_;
};

struct KnownCpu {
  const char* vendor;
  std::uint32_t version;
  std::uint32_t family, model, stepping;
  const char* microarchitecture;
};

/// Prints the CPU in the names of tests.
std::ostream& operator<<(std::ostream& stream, const KnownCpu& known) {
  return stream << known.vendor << std::hex << known.version;
}

class KnownCpuTest : public ::testing::TestWithParam<KnownCpu> {};

TEST_P(KnownCpuTest, IsDecoded) {
  const KnownCpu& known = GetParam();
  const Machine machine = MadeUpCpu(known.vendor, known.version).machine();
  EXPECT_EQ(machine.vendor, known.vendor);
  EXPECT_EQ(machine.family, known.family);
  EXPECT_EQ(machine.model, known.model);
  EXPECT_EQ(machine.stepping, known.stepping);
  EXPECT_EQ(machine.microarchitecture, known.microarchitecture);
}

INSTANTIATE_TEST_SUITE_P(
    IdentityTest, KnownCpuTest,
    ::testing::Values(KnownCpu{"AuthenticAMD", 0x00800F12, 0x17, 0x01, 2, "zen1"},
                      KnownCpu{"AuthenticAMD", 0x00800F82, 0x17, 0x08, 2, "zen+"},
                      KnownCpu{"AuthenticAMD", 0x00830F10, 0x17, 0x31, 0, "zen2"},
                      KnownCpu{"AuthenticAMD", 0x00A00F11, 0x19, 0x01, 1, "zen3"},
                      KnownCpu{"AuthenticAMD", 0x00A20F10, 0x19, 0x21, 0, "zen3"},
                      KnownCpu{"AuthenticAMD", 0x00A10F11, 0x19, 0x11, 1, "zen4"},
                      KnownCpu{"AuthenticAMD", 0x00A60F12, 0x19, 0x61, 2, "zen4"},
                      KnownCpu{"AuthenticAMD", 0x00B40F40, 0x1A, 0x44, 0, "zen5"},
                      KnownCpu{"AuthenticAMD", 0x00600F12, 0x15, 0x01, 2, "unknown"},
                      KnownCpu{"GenuineIntel", 0x000206A7, 6, 0x2A, 7, "sandybridge"},
                      KnownCpu{"GenuineIntel", 0x000306C3, 6, 0x3C, 3, "haswell"},
                      KnownCpu{"GenuineIntel", 0x000506E3, 6, 0x5E, 3, "skylake"},
                      KnownCpu{"GenuineIntel", 0x00050654, 6, 0x55, 4, "skylake-x"},
                      KnownCpu{"GenuineIntel", 0x00050657, 6, 0x55, 7, "cascadelake"},
                      KnownCpu{"GenuineIntel", 0x0005065B, 6, 0x55, 11, "cooperlake"},
                      KnownCpu{"GenuineIntel", 0x000906EA, 6, 0x9E, 10, "coffeelake"},
                      KnownCpu{"GenuineIntel", 0x000606A6, 6, 0x6A, 6, "icelake"},
                      KnownCpu{"GenuineIntel", 0x000806F8, 6, 0x8F, 8, "sapphirerapids"},
                      KnownCpu{"GenuineIntel", 0x000C06F2, 6, 0xCF, 2, "emeraldrapids"},
                      KnownCpu{"GenuineIntel", 0x00090672, 6, 0x97, 2, "alderlake"},
                      KnownCpu{"GenuineIntel", 0x00000F43, 15, 4, 3, "unknown"},
                      // An extended family only counts with the base family 0xF.
                      KnownCpu{"GenuineIntel", 0x001506E3, 6, 0x5E, 3, "skylake"},
                      // The same numbers with another vendor are another CPU.
                      KnownCpu{"HygonGenuine", 0x00A10F11, 0x19, 0x11, 1, "unknown"}));

TEST(IdentityTest, TrimsTheBrand) {
  MadeUpCpu cpu("GenuineIntel", 0x000206A7);
  cpu[0x80000002] = {four("    "), four("  In"), four("tel("), four("R) C")};
  cpu[0x80000003] = {four("ore "), four("CPU "), four("    "), four("   \0")};
  EXPECT_EQ(cpu.machine().brand, "Intel(R) Core CPU");
}

TEST(IdentityTest, LeavesTheBrandEmptyWhereThereIsNone) {
  EXPECT_EQ(MadeUpCpu("GenuineIntel", 0x000206A7).machine().brand, "");
}

TEST(IdentityTest, TellsTheTwoKindsOfCoresOfAHybridCpuApart) {
  MadeUpCpu cpu("GenuineIntel", 0x00090672);
  cpu[7].edx = 1U << 15;
  cpu[0x1A].eax = 0x40000001;
  EXPECT_EQ(cpu.machine().microarchitecture, "alderlake-p");
  cpu[0x1A].eax = 0x20000001;
  EXPECT_EQ(cpu.machine().microarchitecture, "alderlake-e");
}

TEST(IdentityTest, NamesNoCoreThatLacksWhatCpuidShows) {
  MadeUpCpu cpu("GenuineIntel", 0x000A0671);
  cpu[7].ebx = 1U << 5 | 1U << 23;  // AVX2 and CLFLUSHOPT, which older cores have too
  EXPECT_EQ(cpu.machine().microarchitecture, "rocketlake");
  EXPECT_EQ(model_contradiction(cpu.machine(), cpu.cpuid()), "");
  cpu[7].edx = 1U << 24;  // AMX-TILE
  EXPECT_EQ(cpu.machine().microarchitecture, "unknown");
  EXPECT_EQ(cpu.machine().model, 0xA7U);
  EXPECT_EQ(model_contradiction(cpu.machine(), cpu.cpuid()),
            "its model is rocketlake's, which has no AMX-TILE");
}

TEST(IdentityTest, ComparesFeaturesWithCoresOfTheSameVendorAlone) {
  MadeUpCpu zen3("AuthenticAMD", 0x00A00F11);
  zen3[7].edx = 1U << 14 | 1U << 24;  // SERIALIZE and AMX-TILE, which date Intel's cores
  EXPECT_EQ(zen3.machine().microarchitecture, "zen3");
  zen3[7].ebx = 1U << 16;  // AVX512F
  EXPECT_EQ(zen3.machine().microarchitecture, "unknown");
  MadeUpCpu zen4("AuthenticAMD", 0x00A10F11);
  zen4[7].ebx = 1U << 16;
  EXPECT_EQ(zen4.machine().microarchitecture, "zen4");
}

TEST(IdentityTest, KnowsTheAgeOfACoreByItsFeatures) {
  CpuidAnswer features;
  EXPECT_THAT(generation_of("GenuineIntel", features), testing::Contains("sandybridge"));
  features.ebx = 1U << 5;
  EXPECT_THAT(generation_of("GenuineIntel", features), testing::Contains("haswell"));
  features.edx = 1U << 24;
  EXPECT_THAT(generation_of("GenuineIntel", features), testing::Contains("graniterapids"));
  EXPECT_THAT(generation_of("AuthenticAMD", features), testing::Contains("zen1"));
  EXPECT_THAT(generation_of("HygonGenuine", features), testing::IsEmpty());
}

/// A row that stood in no generation would be believed with any features.
TEST(IdentityTest, EveryRowButTheNewestLacksSomething) {
  const CpuidAnswer everything = {~0U, ~0U, ~0U, ~0U};
  const std::set<std::string_view> newest = {"zen5", "sapphirerapids", "emeraldrapids",
                                             "graniterapids"};
  for (const Microarchitecture& row : all_microarchitectures()) {
    EXPECT_EQ(feature_beyond(row, everything).empty(), newest.contains(row.name)) << row.name;
    EXPECT_EQ(feature_beyond(row, {}), "") << row.name;
  }
}

TEST(IdentityTest, NamesTheHypervisor) {
  MadeUpCpu cpu("AuthenticAMD", 0x00A10F11);
  cpu[0x40000000] = {0x40000001, four("KVMK"), four("VMKV"), four("M\0\0")};
  EXPECT_EQ(hypervisor_from(cpu.cpuid()), "none") << "CPUID does not say that there is one";
  cpu[1].ecx = 1U << 31;
  EXPECT_EQ(hypervisor_from(cpu.cpuid()), "KVMKVMKVM");
  cpu[0x40000000] = {};
  EXPECT_EQ(hypervisor_from(cpu.cpuid()), "unknown");
}

TEST(IdentityTest, OnlyOneMicroarchitectureWasTested) {
  int tested = 0;
  for (const Microarchitecture& row : all_microarchitectures()) tested += row.tested;
  EXPECT_EQ(tested, 1);
  EXPECT_TRUE(microarchitecture_of(MadeUpCpu("AuthenticAMD", 0x00A10F11).machine()).tested);
}

TEST(IdentityTest, EveryRowIsTheAnswerForSomeCpu) {
  for (const Microarchitecture& row : all_microarchitectures()) {
    bool answers = false;
    for (std::uint32_t model = row.first_model; model <= row.last_model; ++model) {
      const Machine machine{.vendor = std::string(row.vendor),
                            .brand = "",
                            .family = row.family,
                            .model = model,
                            .stepping = row.first_stepping,
                            .microarchitecture = ""};
      answers |= &microarchitecture_of(machine) == &row;
    }
    EXPECT_TRUE(answers) << row.vendor << ' ' << row.family << ' ' << row.first_model;
  }
}

TEST(IdentityTest, ThisMachineHasAVendorAndAFamily) {
  const Machine machine = identify_machine();
  EXPECT_EQ(machine.vendor.size(), 12U);
  EXPECT_GT(machine.family, 0U);
  EXPECT_FALSE(machine.microarchitecture.empty());
  EXPECT_EQ(machine, identify_machine());
}

/// A tree of files like those of the kernel.
class EnvironmentTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& content) {
    const auto file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    write_file(file, content);
  }

  TemporaryFolder folder_;
};

TEST_F(EnvironmentTest, IsReadFromTheKernelsFiles) {
  write("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xa101148\n\nmicrocode\t: 0x1\n");
  write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/smt/control", "notsupported\n");
  const Environment environment = identify_environment(3, folder_.path());
  EXPECT_EQ(environment.microcode, "0xa101148");
  EXPECT_EQ(environment.governor, "performance");
  EXPECT_EQ(environment.smt, "notsupported");
  EXPECT_THAT(environment.kernel, ::testing::MatchesRegex("Linux [0-9].*"));
  EXPECT_GE(environment.cores, 1);
}

TEST_F(EnvironmentTest, NamesWhatIsHidden) {
  write("proc/cpuinfo", "processor\t: 0\n");
  write("sys/devices/system/cpu/smt/control", "\n");
  const Environment environment = identify_environment(0, folder_.path());
  EXPECT_EQ(environment.microcode, "unknown");
  EXPECT_EQ(environment.governor, "none");
  EXPECT_EQ(environment.smt, "unknown");
}

}  // namespace
}  // namespace assay
