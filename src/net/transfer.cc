#include "net/transfer.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "net/curl_error.h"

namespace tutti::net {
namespace {

// Lists come in pages of a few megabytes; what is longer than this is a mistake or an attack.
constexpr std::size_t kAnswerBodyMax = 256U << 20U;
constexpr std::size_t kStreamErrorMax = 64U << 10U;
constexpr long kConnectTimeoutMs = 10'000;
// A peer that vanished without a word: the kernel gives the connection up after this long, so that
// the next request makes a new one instead of queueing behind the dead.
constexpr int kUnacknowledgedMaxMs = 30'000;
constexpr long kKeepAliveSeconds = 15;
constexpr std::chrono::seconds kRetryAfterMax{24 * 3600};

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  TUTTI_CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK, "curl refuses an option");
}

template <typename Value>
Value info(CURL* easy, CURLINFO what) {
  Value value{};
  curl_easy_getinfo(easy, what, &value);
  return value;
}

void set_pem(CURL* easy, CURLoption option, const std::string& pem) {
  curl_blob blob{
      .data = const_cast<char*>(pem.data()), .len = pem.size(), .flags = CURL_BLOB_NOCOPY};
  set(easy, option, &blob);
}

void set_text_or_file(CURL* easy, CURLoption text_option, const std::string& pem,
                      CURLoption file_option, const std::string& file) {
  if (!pem.empty()) {
    set_pem(easy, text_option, pem);
  } else if (!file.empty()) {
    set(easy, file_option, file.c_str());
  }
}

void set_trust(CURL* easy, const Endpoint& endpoint) {
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (endpoint.insecure_skip_verify) {
    set(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  set_text_or_file(easy, CURLOPT_CAINFO_BLOB, endpoint.ca_pem, CURLOPT_CAINFO, endpoint.ca_file);
  // The system's folder of authorities would be trusted beside the one that was named.
  if (!endpoint.ca_pem.empty() || !endpoint.ca_file.empty()) {
    set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  // Otherwise curl keeps a parsed authority for a day, and resumed sessions keep a client's old
  // certificate: files replaced on disk would not be noticed.
  set(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

void set_identity(CURL* easy, const Endpoint& endpoint) {
  set_text_or_file(easy, CURLOPT_SSLCERT_BLOB, endpoint.client_cert_pem, CURLOPT_SSLCERT,
                   endpoint.client_cert_file);
  set_text_or_file(easy, CURLOPT_SSLKEY_BLOB, endpoint.client_key_pem, CURLOPT_SSLKEY,
                   endpoint.client_key_file);
}

int set_socket(void*, curl_socket_t socket, curlsocktype) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMaxMs,
             sizeof kUnacknowledgedMaxMs);
  return CURL_SOCKOPT_OK;
}

void set_connection(CURL* easy, const Endpoint& endpoint) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION,
      static_cast<long>(endpoint.http1_only ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  // A burst of requests waits for the first connection to say whether it takes them all.
  set(easy, CURLOPT_PIPEWAIT, endpoint.http1_only ? 0L : 1L);
  set(easy, CURLOPT_TCP_NODELAY, 1L);
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  set(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  set(easy, CURLOPT_SOCKOPTFUNCTION, &set_socket);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  if (endpoint.direct || !endpoint.proxy_url.empty()) {
    set(easy, CURLOPT_PROXY, endpoint.direct ? "" : endpoint.proxy_url.c_str());  // "": none
  }
}

struct CurlFree {
  void operator()(char* text) const { curl_free(text); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart what, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, what, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, CurlFree> owned(text);
  return text;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

// curl takes the name for SNI and verification from the URL's host. Where another is asked for, the
// URL names that one, CONNECT_TO says where it really is, and the Host header stays the real
// host's.
Target::Target(Endpoint given)
    : endpoint(std::move(given)), url(endpoint.url), shown("the server") {
  const std::unique_ptr<CURLU, CurlFree> parsed(curl_url());
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return;
  const std::string real_host = part(parsed.get(), CURLUPART_HOST);
  const std::string port = part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  shown = fmt::format("{}://{}:{}", part(parsed.get(), CURLUPART_SCHEME), real_host, port);

  const std::string& name = endpoint.tls_server_name;
  if (name.empty() || name == real_host) return;
  if (curl_url_set(parsed.get(), CURLUPART_HOST, name.c_str(), 0) != CURLUE_OK) return;
  url = part(parsed.get(), CURLUPART_URL);
  if (url.ends_with('/')) url.pop_back();
  connect_to = fmt::format("{}:{}:{}:{}", name, port, real_host, port);
  host = fmt::format("{}:{}", real_host, port);
}

void HeaderList::add(std::string_view name, std::string_view value) {
  // A header without a value is written with a semicolon; with a colon curl would leave it out.
  lines_.push_back(value.empty() ? fmt::format("{};", name) : fmt::format("{}: {}", name, value));
}

void HeaderList::suppress(std::string_view name) { lines_.push_back(fmt::format("{}:", name)); }

bool HeaderList::contains(std::string_view name) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](std::string_view line) {
    return line.size() > name.size() && same_name(line.substr(0, name.size()), name) &&
           (line[name.size()] == ':' || line[name.size()] == ';');
  });
}

curl_slist* HeaderList::nodes() {
  nodes_.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    nodes_[i] = {.data = lines_[i].data(),
                 .next = i + 1 < lines_.size() ? &nodes_[i + 1] : nullptr};
  }
  return nodes_.empty() ? nullptr : nodes_.data();
}

Transfer::Transfer(const Target& target, Kind kind, CurlMulti& multi)
    : target_(target), kind_(kind), multi_(multi), easy_(curl_easy_init()) {
  TUTTI_CHECK(easy_ != nullptr, "curl cannot make a handle");
  set_connection(easy_, target.endpoint);
  set_trust(easy_, target.endpoint);
  set_identity(easy_, target.endpoint);
  if (!target.connect_to.empty()) {
    connect_to_.data = const_cast<char*>(target.connect_to.c_str());
    set(easy_, CURLOPT_CONNECT_TO, &connect_to_);
  }
  set(easy_, CURLOPT_PRIVATE, this);
  set(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
  set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::take);
  set(easy_, CURLOPT_WRITEDATA, this);
  if (kind == Kind::stream) {
    set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(easy_, CURLOPT_HEADERDATA, this);
  }
  set(easy_, CURLOPT_READFUNCTION, &Transfer::read_body);
  set(easy_, CURLOPT_READDATA, this);
  set(easy_, CURLOPT_SEEKFUNCTION, &Transfer::seek_body);
  set(easy_, CURLOPT_SEEKDATA, this);
}

Transfer::~Transfer() { curl_easy_cleanup(easy_); }

Transfer& Transfer::of(CURL* easy) { return *info<Transfer*>(easy, CURLINFO_PRIVATE); }

void Transfer::prepare(Request request) {
  request_ = std::move(request);
  status_ = 0;
  body_sent_ = 0;
  too_long_ = false;
  body_.clear();
  error_text_[0] = '\0';
  url_.assign(target_.url).append(request_.path);
  set(easy_, CURLOPT_URL, url_.c_str());
  set(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
  set_method();
  set_headers();
}

void Transfer::set_method() {
  const std::string& method = request_.method;
  const bool sends =
      !request_.body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
  const char* implied = "GET";
  if (sends) {
    implied = "POST";
    set(easy_, CURLOPT_POST, 1L);
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  } else if (method == "HEAD") {
    implied = "HEAD";
    set(easy_, CURLOPT_NOBODY, 1L);
  } else {
    set(easy_, CURLOPT_HTTPGET, 1L);
  }
  set(easy_, CURLOPT_CUSTOMREQUEST, method == implied ? nullptr : method.c_str());
}

void Transfer::set_headers() {
  headers_.clear();
  for (const auto& [name, value] : request_.headers) headers_.add(name, value);
  if (!target_.host.empty() && !headers_.contains("Host")) headers_.add("Host", target_.host);
  if (!headers_.contains("Content-Type")) headers_.suppress("Content-Type");
  headers_.suppress("Expect");
  set(easy_, CURLOPT_HTTPHEADER, headers_.nodes());
}

std::size_t Transfer::read_body(char* buffer, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::string& body = transfer.request_.body;
  const std::size_t length = std::min(size * count, body.size() - transfer.body_sent_);
  body.copy(buffer, length, transfer.body_sent_);
  transfer.body_sent_ += length;
  return length;
}

// curl repeats a request by itself when a reused connection closes before any answer, which may be
// after the server acted on it. Without a way back to the body's start it reports that instead.
int Transfer::seek_body(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

std::size_t Transfer::take(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::size_t length = size * count;
  const bool more = static_cast<Transfer*>(self)->take_bytes({bytes, length});
  return more ? length : CURL_WRITEFUNC_ERROR;
}

// The empty line ends the headers: of the answer, or of an informational one before it.
std::size_t Transfer::take_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::size_t length = size * count;
  auto& transfer = *static_cast<Transfer*>(self);
  if (transfer.state != State::running) return length;
  if (std::string_view(bytes, length) != "\r\n" || transfer.status() / 100 != 2) return length;
  if (transfer.handlers.opened) transfer.handlers.opened();
  return length;
}

// Whether curl shall go on.
bool Transfer::take_bytes(std::string_view bytes) {
  if (state != State::running) return false;
  multi_.delivered(bytes.size());
  if (status_ == 0) status_ = status();
  if (kind_ == Kind::call) return collect(bytes, kAnswerBodyMax);
  last_byte = std::chrono::steady_clock::now();
  if (status_ < 200 || status_ > 299) return collect(bytes, kStreamErrorMax);
  handlers.data(bytes);
  return state == State::running;
}

bool Transfer::collect(std::string_view bytes, std::size_t size_max) {
  body_.append(bytes.substr(0, size_max - body_.size()));
  too_long_ = body_.size() == size_max;
  return !too_long_;
}

int Transfer::status() const { return static_cast<int>(info<long>(easy_, CURLINFO_RESPONSE_CODE)); }

Result<Response> Transfer::outcome(CURLcode code) {
  const bool cut_error_body = too_long_ && kind_ == Kind::stream;
  if (code == CURLE_OK || cut_error_body) {
    Response response{.status = status(), .body = std::move(body_), .retry_after = {}};
    const auto wait = std::chrono::seconds(info<curl_off_t>(easy_, CURLINFO_RETRY_AFTER));
    if (wait.count() > 0) response.retry_after = std::min(wait, kRetryAfterMax);
    return response;
  }
  std::string why = too_long_
                        ? fmt::format("the answer is longer than {} MiB", kAnswerBodyMax >> 20U)
                        : describe({.code = code,
                                    .tls_verdict = info<long>(easy_, CURLINFO_SSL_VERIFYRESULT),
                                    .os_error = info<long>(easy_, CURLINFO_OS_ERRNO),
                                    .detail = error_text_.data()});
  return Error{Error::Code::unavailable, std::move(why)}.within(target_.shown);
}

bool Transfer::spoke_http1() const {
  const long version = info<long>(easy_, CURLINFO_HTTP_VERSION);
  return version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
}

void Transfer::clear() {
  state = State::idle;
  serial = kNone;
  request_ = {};
  body_ = {};
  handlers = {};
}

}  // namespace tutti::net
