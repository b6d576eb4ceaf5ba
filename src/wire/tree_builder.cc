#include "wire/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace tutti::wire {
namespace {

// Marks a merge among the members of an open object. Told from a quoted "<<" by its address.
constexpr std::string_view kMergeMark = "<<";

bool is_merge(const Member& member) { return member.key.data() == kMergeMark.data(); }

// Below this many keys comparing all pairs is cheaper than sorting.
constexpr std::size_t kFewKeys = 24;

Status repeated(const Member& second, const Member& first) {
  return error_at(second.line,
                  fmt::format("key \"{}\" is already set on line {}", second.key, first.line));
}

Status check_few(std::span<const Member> members) {
  for (std::size_t later = 1; later < members.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (members[earlier].key == members[later].key) {
        return repeated(members[later], members[earlier]);
      }
    }
  }
  return ok_status();
}

}  // namespace

Error error_at(std::uint32_t line, std::string_view what) {
  return Error{.code = Error::Code::malformed,
               .message = fmt::format("line {}: {}", line, brief_line(what))};
}

Status TreeBuilder::open_array(std::uint32_t line) { return open(Value::Kind::array, line); }
Status TreeBuilder::open_object(std::uint32_t line) { return open(Value::Kind::object, line); }

Status TreeBuilder::open(Value::Kind kind, std::uint32_t line) {
  if (frames_.size() == kMaxDepth) {
    return error_at(line, fmt::format("nested deeper than {} levels", kMaxDepth));
  }
  const bool is_object = kind == Value::Kind::object;
  frames_.push_back(
      {.kind = kind, .line = line, .first = is_object ? members_.size() : items_.size()});
  return ok_status();
}

Status TreeBuilder::close() {
  TUTTI_CHECK(!frames_.empty());
  const Frame frame = frames_.back();
  if (frame.kind == Value::Kind::array) {
    Value array = Value::with_items(arena(), std::span(items_).subspan(frame.first));
    items_.resize(frame.first);
    frames_.pop_back();
    add(std::move(array).at_line(frame.line));
    return ok_status();
  }
  TUTTI_CHECK(!frame.has_key);
  TUTTI_TRY(check_keys_once(frame.first));
  if (frame.has_merge) TUTTI_TRY(apply_merge(frame.first));
  Value object = Value::with_members(arena(), std::span(members_).subspan(frame.first));
  members_.resize(frame.first);
  frames_.pop_back();
  add(std::move(object).at_line(frame.line));
  return ok_status();
}

void TreeBuilder::add(Value value) {
  if (frames_.empty()) {
    document_.set_root(std::move(value));
    return;
  }
  Frame& frame = frames_.back();
  if (frame.kind == Value::Kind::array) {
    items_.push_back(std::move(value));
    return;
  }
  TUTTI_CHECK(frame.has_key);
  frame.has_key = false;
  members_.back().value = std::move(value);
}

const Value& TreeBuilder::last() const {
  if (frames_.empty()) return document_.root();
  return frames_.back().kind == Value::Kind::array ? items_.back() : members_.back().value;
}

void TreeBuilder::key(std::string_view text, std::uint32_t line) {
  TUTTI_CHECK(awaits_key());
  frames_.back().has_key = true;
  members_.push_back({.key = arena().copy(text), .line = line, .value = {}});
}

void TreeBuilder::merge_key(std::uint32_t line) {
  TUTTI_CHECK(awaits_key());
  frames_.back().has_key = true;
  frames_.back().has_merge = true;
  members_.push_back({.key = kMergeMark, .line = line, .value = {}});
}

bool TreeBuilder::awaits_key() const {
  return !frames_.empty() && frames_.back().kind == Value::Kind::object && !frames_.back().has_key;
}

Document TreeBuilder::take() {
  TUTTI_CHECK(frames_.empty());
  return std::exchange(document_, Document());
}

Status TreeBuilder::check_keys_once(std::size_t first) {
  const std::span<const Member> members = std::span<const Member>(members_).subspan(first);
  if (members.size() <= kFewKeys) return check_few(members);
  by_key_.clear();
  for (const Member& member : members) by_key_.push_back(&member);
  std::ranges::sort(by_key_, [](const Member* left, const Member* right) {
    return std::tie(left->key, left) < std::tie(right->key, right);
  });
  const auto twice = std::ranges::adjacent_find(
      by_key_, [](const Member* left, const Member* right) { return left->key == right->key; });
  if (twice == by_key_.end()) return ok_status();
  return repeated(**std::next(twice), **twice);
}

Status TreeBuilder::apply_merge(std::size_t first) {
  const auto mark =
      std::find_if(members_.begin() + static_cast<std::ptrdiff_t>(first), members_.end(), is_merge);
  TUTTI_CHECK(mark != members_.end());
  const std::uint32_t line = mark->line;
  Value source = std::move(mark->value);
  members_.erase(mark);

  std::unordered_set<std::string_view> taken;
  for (const Member& member : std::span(members_).subspan(first)) taken.insert(member.key);
  if (!source.is_array()) return merge_from(source, line, taken);
  for (Value& one : source.items()) TUTTI_TRY(merge_from(one, line, taken));
  return ok_status();
}

// What is taken stays: the object's own members win over merged ones, earlier sources over later.
Status TreeBuilder::merge_from(Value& source, std::uint32_t line,
                               std::unordered_set<std::string_view>& taken) {
  if (!source.is_object()) {
    return error_at(line, fmt::format("\"<<\" merges a mapping or a sequence of mappings, not {}",
                                      describe(source.kind())));
  }
  for (Member& member : source.members()) {
    if (taken.insert(member.key).second) members_.push_back(std::move(member));
  }
  return ok_status();
}

}  // namespace tutti::wire
