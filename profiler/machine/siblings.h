#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace assay {

/// The processors that the kernel's topology lists as threads of the same core, including the
/// processor itself, ascending. Under a hypervisor, that is what the hypervisor claims. Only the
/// processor itself if the kernel does not tell. The kernel's file is looked for under `root`.
std::vector<int> kernel_siblings(int processor, const std::filesystem::path& root = "/");

/// The numbers in a list in the kernel's form, "0-3,8,10-11"; none if the text has another form.
std::vector<int> processors_in(std::string_view list);

}  // namespace assay
