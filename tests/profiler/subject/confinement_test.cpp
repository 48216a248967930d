#include "profiler/subject/confinement.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::subject {
namespace {

TEST(Confinement, OfThisProcessIsAnother) {
  EXPECT_FALSE(confinement_of(getpid()).no_vdso);
  EXPECT_EQ(confinement_of(-1), Confinement{});
}

TEST(Confinement, IsToldWithWhatIsMissing) {
  Confinement confinement;
  EXPECT_FALSE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, true), "none");
  for (const Wall& wall : all_walls()) confinement.*wall.holds = true;
  EXPECT_TRUE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, false), "none");
  confinement.no_vdso = false;
  EXPECT_FALSE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, true),
            "system-call filter, no new privileges, no capabilities");
  EXPECT_EQ(walls_text(confinement, false), "no vDSO");
}

}  // namespace
}  // namespace assay::subject
