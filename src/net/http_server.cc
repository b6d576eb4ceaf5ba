// A Beast session per connection: read a request, ask the handler, write the answer, again. The
// handler and the list of sessions are shared by all of them; a session lives as long as something
// it waits for is outstanding, and the server's end closes all sockets, which ends every wait.
#include "net/http_server.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

namespace tutti::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kConnectionsMax = 64;
constexpr std::uint64_t kRequestBodyMax = 64U << 10U;
constexpr std::uint32_t kHeadMax = 8U << 10U;
constexpr std::chrono::seconds kIdleMax{30};

class Session;

struct Sessions {
  HttpServer::PatientHandler handler;
  std::unordered_set<Session*> open;
  bool closed = false;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, std::shared_ptr<Sessions> all)
      : stream_(std::move(socket)), all_(std::move(all)) {
    all_->open.insert(this);
  }
  ~Session() { all_->open.erase(this); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(kRequestBodyMax);
    parser_->header_limit(kHeadMax);
    stream_.expires_after(kIdleMax);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->take(error); });
  }

  void close() { stream_.close(); }

 private:
  void take(error_code error) {
    if (all_->closed) return;
    if (!error) return answer(parser_->get());
    if (const auto status = complaint(error)) return refuse(*status);
    close();
  }

  // What to tell a client whose request cannot be read; nothing where it went away.
  static std::optional<http::status> complaint(error_code error) {
    if (error == http::error::body_limit) return http::status::payload_too_large;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return http::status::request_header_fields_too_large;
    }
    if (error == http::error::end_of_stream || error == http::error::partial_message) return {};
    if (error.category() == make_error_code(http::error::bad_method).category()) {
      return http::status::bad_request;
    }
    return {};
  }

  void answer(const http::request<http::string_body>& request) {
    all_->handler(
        {.method = std::string(request.method_string()),
         .target = std::string(request.target()),
         .from_loopback = peer_is_local()},
        [self = shared_from_this()](ServerResponse response) { self->reply(std::move(response)); });
  }

  void reply(ServerResponse response) {
    if (all_->closed) return;
    const http::request<http::string_body>& request = parser_->get();
    http::response<http::string_body> message(
        http::int_to_status(static_cast<unsigned>(response.status)), 11);
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::content_type, response.content_type);
    message.keep_alive(request.keep_alive());
    message.content_length(response.body.size());
    // The answer to HEAD has the length of what GET would bring, and no body.
    if (request.method() != http::verb::head) message.body() = std::move(response.body);
    write(std::move(message));
  }

  // A socket for both families shows IPv4 peers as IPv6.
  bool peer_is_local() {
    error_code error;
    const auto address = stream_.socket().remote_endpoint(error).address();
    if (error) return false;
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.is_loopback();
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }

  void refuse(http::status status) {
    http::response<http::string_body> message(status, 11);
    message.keep_alive(false);
    message.prepare_payload();
    write(std::move(message));
  }

  void write(http::response<http::string_body> message) {
    response_ = std::move(message);
    stream_.expires_after(kIdleMax);
    serializer_.emplace(*response_);
    http::async_write(
        stream_, *serializer_,
        [self = shared_from_this()](error_code error, std::size_t) { self->written(error); });
  }

  void written(error_code error) {
    if (error || all_->closed || !response_->keep_alive()) return finish();
    read();
  }

  // Sends the end before closing: a client that still writes would lose the answer to a reset.
  void finish() {
    error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    close();
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Sessions> all_;
  beast::flat_buffer buffer_{kHeadMax + kRequestBodyMax};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
};

}  // namespace

struct HttpServer::Impl {
  Impl(Loop& loop, PatientHandler handler)
      : acceptor(loop.context()), sessions(std::make_shared<Sessions>()) {
    sessions->handler = std::move(handler);
  }

  error_code open(const asio::ip::tcp::endpoint& endpoint) {
    error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  void accept() {
    acceptor.async_accept([this](error_code error, asio::ip::tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && sessions->open.size() < kConnectionsMax) {
        std::make_shared<Session>(std::move(socket), sessions)->read();
      }
      accept();
    });
  }

  void close() {
    sessions->closed = true;
    for (Session* session : sessions->open) session->close();
  }

  asio::ip::tcp::acceptor acceptor;
  std::shared_ptr<Sessions> sessions;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) { impl_->accept(); }
HttpServer::~HttpServer() { impl_->close(); }

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop, const std::string& address,
                                                       std::uint16_t port, Handler handler) {
  return listen_patiently(
      loop, address, port,
      [answer = std::move(handler)](const ServerRequest& request, const Reply& reply) {
        reply(answer(request));
      });
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen_patiently(Loop& loop,
                                                                 const std::string& address,
                                                                 std::uint16_t port,
                                                                 PatientHandler handler) {
  error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) return Error{Error::Code::malformed, fmt::format("'{}' is no IP address", address)};
  auto impl = std::make_unique<Impl>(loop, std::move(handler));
  error = impl->open({ip, port});
  if (error) {
    return Error{Error::Code::io,
                 fmt::format("cannot listen at {} port {}: {}", address, port, error.message())};
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const {
  error_code error;
  return impl_->acceptor.local_endpoint(error).port();
}

}  // namespace tutti::net
