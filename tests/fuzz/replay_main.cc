// Runs a fuzzer's body without libFuzzer, so that the sanitizer build replays what was learned.
//
//   yaml_replay FOLDER…    every file of the folders as it is, then damaged in fixed ways
//
// The damage is the same on every run: a failure belongs to the change that caused it. New inputs
// are looked for by `./dev fuzz`, which needs clang.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kDamagedPerFile = 60;

void run(const std::string& input) {
  // A copy of exactly its size: reading past the end is reading past an allocation.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// Numerical Recipes' linear congruential generator: good enough to choose what to damage.
class Dice {
 public:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8U) % limit;
  }

 private:
  std::uint32_t state_ = 1;
};

std::string damaged(std::string input, Dice& dice) {
  const std::size_t at = dice.below(input.size());
  switch (dice.below(4)) {
    case 0:
      input[at] = static_cast<char>(dice.below(256));
      break;
    case 1:
      input.erase(at, 1 + dice.below(8));
      break;
    case 2:
      input.insert(at, input, dice.below(input.size()), 1 + dice.below(16));
      break;
    default:
      input.resize(at);
  }
  return input;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  Dice dice;
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& file : files_of(arguments[i])) {
      std::ifstream stream(file, std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(stream), {}};
      std::fprintf(stderr, "%s\n", file.c_str());  // the last line names what broke
      run(input);
      ++inputs;
      for (std::size_t k = 0; k < kDamagedPerFile && !input.empty(); ++k) run(damaged(input, dice));
    }
  }
  std::printf("%zu inputs replayed, each damaged in %zu ways\n", inputs, kDamagedPerFile);
  return inputs > 0 ? 0 : 1;
}
