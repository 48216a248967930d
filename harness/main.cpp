#include <string>
#include <vector>

#include "harness/commands.h"

int main(int argc, char** argv) {
  return assay::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
