// FakeApi: an HTTP/1.1 server for this folder's tests. It notes what it is asked and answers as the
// test's script says, whole or in chunks, now or later, or not at all.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <functional>

#include "base/std.h"
#include "kube/access/access.h"
#include "net/loop.h"

namespace tutti::kube {

struct FakeRequest {
  std::string line;  // "GET /api/v1/pods?limit=500"
  std::string head;  // all of it, as sent
  std::string body;

  bool has(const std::string& part) const { return line.find(part) != std::string::npos; }
};

// One connection. Scripts may keep the pointer and go on answering later.
class FakeSession : public std::enable_shared_from_this<FakeSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Code = boost::system::error_code;
  using Script = std::function<void(const FakeRequest&, const std::shared_ptr<FakeSession>&)>;

  FakeSession(Socket socket, const Script& script) : socket_(std::move(socket)), script_(script) {}

  void read_request() {
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(incoming_), "\r\n\r\n",
                                  [self = shared_from_this()](Code error, std::size_t length) {
                                    if (!error) self->read_body(length);
                                  });
  }

  void answer(int status, const std::string& body, const std::string& headers = "") {
    write(fmt::format("HTTP/1.1 {} x\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                      body.size(), body));
  }
  void open_stream() { write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); }
  void send(const std::string& text) { write(fmt::format("{:x}\r\n{}\r\n", text.size(), text)); }
  void end_stream() { write("0\r\n\r\n"); }
  // Hangs up once everything is written.
  void cut() {
    cut_ = true;
    if (writing_.empty()) close();
  }

 private:
  void read_body(std::size_t head_length) {
    FakeRequest request;
    request.head = incoming_.substr(0, head_length);
    request.line = request.head.substr(0, request.head.find(" HTTP/"));
    incoming_.erase(0, head_length);
    const auto header = request.head.find("Content-Length: ");
    const std::size_t length =
        header == std::string::npos ? 0 : std::stoul(request.head.substr(header + 16));
    const std::size_t missing = length > incoming_.size() ? length - incoming_.size() : 0;
    boost::asio::async_read(
        socket_, boost::asio::dynamic_buffer(incoming_), boost::asio::transfer_exactly(missing),
        [self = shared_from_this(), request, length](Code error, std::size_t) mutable {
          if (error) return;
          request.body = self->incoming_.substr(0, length);
          self->incoming_.erase(0, length);
          self->script_(request, self);
          self->read_request();
        });
  }

  void write(const std::string& bytes) {
    outgoing_ += bytes;
    if (writing_.empty()) write_next();
  }

  void write_next() {
    writing_ = std::exchange(outgoing_, {});
    if (writing_.empty()) {
      if (cut_) close();
      return;
    }
    boost::asio::async_write(socket_, boost::asio::buffer(writing_),
                             [self = shared_from_this()](Code error, std::size_t) {
                               self->writing_.clear();
                               if (!error) self->write_next();
                             });
  }

  void close() {
    Code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  Socket socket_;
  const Script& script_;
  std::string incoming_, outgoing_, writing_;
  bool cut_ = false;
};

using SessionPtr = std::shared_ptr<FakeSession>;

// A loop with a server on it. run() returns when a handler calls done(); it fails the test when
// that takes longer than any machine should need.
class FakeApi {
 public:
  FakeSession::Script script;  // must be set before the first request
  std::vector<FakeRequest> requests;

  FakeApi() : acceptor_(loop_.context(), {boost::asio::ip::address_v4::loopback(), 0}) {
    noting_ = [this](const FakeRequest& request, const SessionPtr& session) {
      requests.push_back(request);
      const FakeSession::Script current = script;  // which may install another
      current(request, session);
    };
    accept();
  }

  net::Loop& loop() { return loop_; }
  Access access() const {
    Access access;
    access.endpoint.url = fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port());
    return access;
  }

  void done() {
    done_ = true;
    loop_.stop();
  }
  void run() {
    done_ = false;
    const net::Timer too_late = loop_.after(Millis{20'000}, [this] { loop_.stop(); });
    loop_.run();
    ASSERT_TRUE(done_) << "nothing happened for too long";
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const FakeRequest& request : requests) lines.push_back(request.line);
    return lines;
  }

 private:
  void accept() {
    acceptor_.async_accept([this](FakeSession::Code error, FakeSession::Socket socket) {
      if (error) return;
      std::make_shared<FakeSession>(std::move(socket), noting_)->read_request();
      accept();
    });
  }

  FakeSession::Script noting_;
  net::Loop loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  bool done_ = false;
};

}  // namespace tutti::kube
