// Signatures of the operators. The evaluator computes them itself.
#include <array>

#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

constexpr auto operator_row(std::string_view signature) {
  return FunctionRow{kStandard, signature, nullptr};
}

constexpr std::array kOperatorRows = {
    operator_row("!_(bool) bool"),
    operator_row("-_(int) int"),
    operator_row("-_(double) double"),
    operator_row("_==_(A, A) bool"),
    operator_row("_!=_(A, A) bool"),
    operator_row("@in(A, list<A>) bool"),
    operator_row("@in(A, map<A, B>) bool"),
    operator_row("_+_(int, int) int"),
    operator_row("_+_(uint, uint) uint"),
    operator_row("_+_(double, double) double"),
    operator_row("_+_(string, string) string"),
    operator_row("_+_(bytes, bytes) bytes"),
    operator_row("_+_(list<A>, list<A>) list<A>"),
    operator_row("_+_(duration, duration) duration"),
    operator_row("_+_(timestamp, duration) timestamp"),
    operator_row("_+_(duration, timestamp) timestamp"),
    operator_row("_-_(int, int) int"),
    operator_row("_-_(uint, uint) uint"),
    operator_row("_-_(double, double) double"),
    operator_row("_-_(duration, duration) duration"),
    operator_row("_-_(timestamp, duration) timestamp"),
    operator_row("_-_(timestamp, timestamp) duration"),
    operator_row("_*_(int, int) int"),
    operator_row("_*_(uint, uint) uint"),
    operator_row("_*_(double, double) double"),
    operator_row("_/_(int, int) int"),
    operator_row("_/_(uint, uint) uint"),
    operator_row("_/_(double, double) double"),
    operator_row("_%_(int, int) int"),
    operator_row("_%_(uint, uint) uint"),
};

}  // namespace

std::span<const FunctionRow> operator_rows() { return kOperatorRows; }

}  // namespace tutti::cel
