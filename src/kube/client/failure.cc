#include "kube/client/failure.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "wire/json_reader.h"
#include "wire/value.h"

namespace tutti::kube {
namespace {

using wire::Value;

std::string_view status_text(const Value& object, std::string_view name) {
  const Value* member = object.find(name);
  return member != nullptr && member->is_string() ? member->text() : std::string_view{};
}

void read_retry_after(const Value& status, Answer& answer) {
  const Value* details = status.find("details");
  const Value* seconds = details != nullptr ? details->find("retryAfterSeconds") : nullptr;
  if (seconds == nullptr || !seconds->is_integer() || answer.retry_after) return;
  // More than an hour is as good as an hour, and stays within what Millis can hold.
  const std::int64_t bounded = std::clamp<std::int64_t>(seconds->as_integer(), 0, 3600);
  if (bounded > 0) answer.retry_after = std::chrono::seconds(bounded);
}

// Leaves reason and message empty when the body is no Status.
void read_status(Answer& answer) {
  // Text that is not JSON leaves the answer as it is: it is quoted by the caller.
  static_cast<void>(wire::read_json(answer.body, [&](wire::Document&& document) {
    const Value& status = document.root();
    if (status_text(status, "kind") != "Status") return ok_status();
    answer.reason = status_text(status, "reason");
    answer.message = brief_line(status_text(status, "message"));
    read_retry_after(status, answer);
    return ok_status();
  }));
}

// What a person can do about it, where the server's words do not say.
std::string_view advice_for(int status) {
  switch (status) {
    case 401:
      return "the token or certificate is missing, expired or not one of this cluster's";
    case 403:
      return "add what is missing to the role of that user";
    default:
      return {};
  }
}

std::string worded(const Answer& answer) {
  std::string message = answer.message;
  if (message.empty()) {
    const std::string quoted = brief_line(shortened(answer.body, 200));
    message = fmt::format("HTTP {}{}{}", answer.status, quoted.empty() ? "" : ": ", quoted);
  }
  const std::string_view advice = advice_for(answer.status);
  if (!advice.empty()) message.append(": ").append(advice);
  return message;
}

}  // namespace

Answer answer_of(net::Response response) {
  Answer answer;
  answer.status = response.status;
  answer.body = std::move(response.body);
  answer.retry_after = response.retry_after;
  if (answer.ok()) return answer;
  read_status(answer);
  answer.message = worded(answer);
  return answer;
}

Answer no_answer(Error why) {
  Answer answer;
  answer.message = std::move(why).message;
  return answer;
}

}  // namespace tutti::kube
