#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace assay {

/// The processors that the kernel's topology names as threads of the same core, itself among them,
/// ascending. Under a hypervisor it is what that claims. Only itself when the kernel does not tell.
/// The kernel's file is looked for under `root`.
std::vector<int> kernel_siblings(int processor, const std::filesystem::path& root = "/");

/// The numbers of a list as the kernel writes it, "0-3,8,10-11"; what is no such list gives none.
std::vector<int> processors_in(std::string_view list);

}  // namespace assay
