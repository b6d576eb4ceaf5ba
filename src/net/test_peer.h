// TestPeer: an HTTP/1.1 server for tests whose every answer is written byte by byte by the test.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <functional>

#include "base/std.h"
#include "net/loop.h"
#include "net/test_certificates.h"

namespace tutti::net {

struct PeerRequest {
  std::string head{};  // request line and headers, as sent
  std::string body{};
  std::size_t connection = 0;  // counted from 0

  std::string target() const {
    const auto begin = head.find(' ') + 1;
    return head.substr(begin, head.find(' ', begin) - begin);
  }
};

class PeerSession : public std::enable_shared_from_this<PeerSession> {
 public:
  using Script = std::function<void(const PeerRequest&, PeerSession&)>;
  using Socket = boost::asio::ip::tcp::socket;
  using TlsSocket = boost::asio::ssl::stream<Socket&>;

  PeerSession(Socket socket, boost::asio::ssl::context* tls, std::size_t number, Script script)
      : socket_(std::move(socket)), number_(number), script_(std::move(script)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }

  void start() {
    if (!tls_) return read_head();
    tls_->async_handshake(boost::asio::ssl::stream_base::server,
                          [self = shared_from_this()](boost::system::error_code error) {
                            if (!error) self->read_head();
                          });
  }

  void write(std::string bytes) {
    outgoing_ += bytes;
    if (writing_.empty()) write_next();
  }
  void answer(int status, const std::string& body, const std::string& headers = "") {
    write("HTTP/1.1 " + std::to_string(status) + " x\r\n" + headers +
          "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void begin_chunks() { write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); }
  void chunk(const std::string& text) {
    write("5\r\n" + text + "\r\n");
    TUTTI_CHECK(text.size() == 5, "chunks of this peer have five bytes");
  }
  void end_chunks() { write("0\r\n\r\n"); }
  // Once everything is written.
  void close() {
    closing_ = true;
    if (writing_.empty()) close_now();
  }

 private:
  template <typename Use>
  void with_stream(Use use) {
    if (tls_) {
      use(*tls_);
    } else {
      use(socket_);
    }
  }

  void read_head() {
    with_stream([this](auto& stream) {
      boost::asio::async_read_until(
          stream, boost::asio::dynamic_buffer(incoming_), "\r\n\r\n",
          [self = shared_from_this()](boost::system::error_code error, std::size_t length) {
            if (!error) self->read_body(length);
          });
    });
  }

  void read_body(std::size_t head_length) {
    PeerRequest request{.head = incoming_.substr(0, head_length), .connection = number_};
    const auto header = request.head.find("Content-Length: ");
    const std::size_t length =
        header == std::string::npos ? 0 : std::stoul(request.head.substr(header + 16));
    incoming_.erase(0, head_length);
    const std::size_t missing = length > incoming_.size() ? length - incoming_.size() : 0;
    with_stream([&](auto& stream) {
      boost::asio::async_read(stream, boost::asio::dynamic_buffer(incoming_),
                              boost::asio::transfer_exactly(missing),
                              [self = shared_from_this(), request, length](
                                  boost::system::error_code error, std::size_t) mutable {
                                if (error) return;
                                request.body = self->incoming_.substr(0, length);
                                self->incoming_.erase(0, length);
                                self->script_(request, *self);
                                self->read_head();
                              });
    });
  }

  void write_next() {
    writing_ = std::exchange(outgoing_, {});
    if (writing_.empty()) {
      if (closing_) close_now();
      return;
    }
    with_stream([this](auto& stream) {
      boost::asio::async_write(
          stream, boost::asio::buffer(writing_),
          [self = shared_from_this()](boost::system::error_code error, std::size_t) {
            self->writing_.clear();
            if (!error) self->write_next();
          });
    });
  }

  void close_now() {
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  Socket socket_;
  std::optional<TlsSocket> tls_;
  std::size_t number_;
  Script script_;
  std::string incoming_, outgoing_, writing_;
  bool closing_ = false;
};

class TestPeer {
 public:
  // Plain HTTP without an identity; with `client_authority`, clients must show a certificate.
  TestPeer(Loop& loop, PeerSession::Script script, const Identity* identity = nullptr,
           const std::string& client_authority = "")
      : acceptor_(loop.context(), {boost::asio::ip::address_v4::loopback(), 0}),
        script_(std::move(script)) {
    namespace ssl = boost::asio::ssl;
    if (identity != nullptr) {
      tls_.emplace(ssl::context::tls_server);
      tls_->use_certificate_chain(boost::asio::buffer(identity->cert_pem));
      tls_->use_private_key(boost::asio::buffer(identity->key_pem), ssl::context::pem);
      if (!client_authority.empty()) {
        tls_->add_certificate_authority(boost::asio::buffer(client_authority));
        tls_->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
      }
    }
    accept();
  }

  std::string url() const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::size_t connections() const { return connections_; }
  void stop() { acceptor_.close(); }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, PeerSession::Socket socket) {
      if (error) return;
      std::make_shared<PeerSession>(std::move(socket), tls_ ? &*tls_ : nullptr, connections_++,
                                    script_)
          ->start();
      accept();
    });
  }

  boost::asio::ip::tcp::acceptor acceptor_;
  std::optional<boost::asio::ssl::context> tls_;
  PeerSession::Script script_;
  std::size_t connections_ = 0;
};

}  // namespace tutti::net
