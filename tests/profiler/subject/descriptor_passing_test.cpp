#include "profiler/subject/descriptor_passing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "profiler/subject/layout.h"
#include "profiler/subject/shared_memory.h"

namespace assay::subject {
namespace {

ino_t file_of(int descriptor) {
  struct stat status {};
  EXPECT_EQ(fstat(descriptor, &status), 0);
  return status.st_ino;
}

TEST(DescriptorPassing, PassesThemInOrderToBeClosedOnExec) {
  const DescriptorChannel channel = descriptor_channel();
  for (const std::size_t sent : {std::size_t{0}, std::size_t{1}, std::size_t{kMaxCounterPages}}) {
    std::vector<Descriptor> files;
    std::vector<int> numbers;
    for (std::size_t i = 0; i < sent; ++i) {
      files.push_back(anonymous_file("passed", 0));
      numbers.push_back(files.back().get());
    }
    ASSERT_TRUE(send_descriptors(channel.parent.get(), numbers));
    std::array<int, kMaxCounterPages> received{};
    std::size_t count = 1000;
    ASSERT_TRUE(receive_descriptors(channel.child.get(), received, count));
    ASSERT_EQ(count, sent);
    for (std::size_t i = 0; i < sent; ++i) {
      const Descriptor own(received.at(i));
      EXPECT_EQ(file_of(own.get()), file_of(numbers[i]));
      EXPECT_EQ(fcntl(own.get(), F_GETFD), FD_CLOEXEC);
    }
  }
}

TEST(DescriptorPassing, ToldWhenTheOtherSideIsGone) {
  DescriptorChannel channel = descriptor_channel();
  channel.parent.close();
  std::array<int, kMaxCounterPages> received{};
  std::size_t count = 0;
  errno = 0;
  EXPECT_FALSE(receive_descriptors(channel.child.get(), received, count));
  EXPECT_EQ(errno, EPIPE);
  errno = 0;
  EXPECT_FALSE(send_descriptors(channel.child.get(), {}));
  EXPECT_EQ(errno, EPIPE);
}

TEST(DescriptorPassing, ToldWhenThereIsNoRoomForThem) {
  const DescriptorChannel channel = descriptor_channel();
  ASSERT_TRUE(send_descriptors(channel.parent.get(), std::array{STDERR_FILENO}));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  std::array<int, kMaxCounterPages> received{};
  std::size_t count = 0;
  errno = 0;
  const bool got = receive_descriptors(channel.child.get(), received, count);
  const int error = errno;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(got);
  EXPECT_EQ(error, EMFILE);
}

}  // namespace
}  // namespace assay::subject
