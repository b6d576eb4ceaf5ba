// Signatures of the operators. The evaluator computes them itself.
#include <array>

#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

constexpr auto row(std::string_view signature) {
  return FunctionRow{kStandard, signature, nullptr};
}

constexpr std::array kRows = {
    row("!_(bool) bool"),
    row("-_(int) int"),
    row("-_(double) double"),
    row("_==_(A, A) bool"),
    row("_!=_(A, A) bool"),
    row("@in(A, list<A>) bool"),
    row("@in(A, map<A, B>) bool"),
    row("_+_(int, int) int"),
    row("_+_(uint, uint) uint"),
    row("_+_(double, double) double"),
    row("_+_(string, string) string"),
    row("_+_(bytes, bytes) bytes"),
    row("_+_(list<A>, list<A>) list<A>"),
    row("_+_(duration, duration) duration"),
    row("_+_(timestamp, duration) timestamp"),
    row("_+_(duration, timestamp) timestamp"),
    row("_-_(int, int) int"),
    row("_-_(uint, uint) uint"),
    row("_-_(double, double) double"),
    row("_-_(duration, duration) duration"),
    row("_-_(timestamp, duration) timestamp"),
    row("_-_(timestamp, timestamp) duration"),
    row("_*_(int, int) int"),
    row("_*_(uint, uint) uint"),
    row("_*_(double, double) double"),
    row("_/_(int, int) int"),
    row("_/_(uint, uint) uint"),
    row("_/_(double, double) double"),
    row("_%_(int, int) int"),
    row("_%_(uint, uint) uint"),
};

}  // namespace

std::span<const FunctionRow> operator_rows() { return kRows; }

}  // namespace tutti::cel
