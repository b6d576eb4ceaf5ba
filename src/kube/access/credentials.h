// Credentials: who we are to the server, kept fresh. Static tokens and passwords are given out as
// they are, a token file is read again now and then, an exec plugin is run when what it printed is
// missing, about to expire or was rejected.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "kube/access/access.h"
#include "net/loop.h"

namespace tutti::kube {

class Credentials {
 public:
  // The value of an Authorization header ("Bearer …", "Basic …"), or empty when none is to be sent.
  // Errors are for people and never contain a secret.
  using HeaderHandler = std::function<void(Result<std::string>)>;

  Credentials(net::Loop& loop, Access access);
  // Ends a running plugin; no handler is called any more.
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // Calls `handler` exactly once: from inside the call when the answer is known, else on the loop
  // when the plugin has run. Callers that come while it runs share that run and are called in turn.
  void header(HeaderHandler handler);

  // The server said 401 to what header() gave: forget what is cached, so that the next header()
  // reads the file again or runs the plugin. A plugin that was run less than a moment ago is not
  // run again: the rejections of many calls in flight cost one run.
  void rejected();

  // Where to connect, with the client certificate that the plugin gave, if it did. Complete only
  // after header() has called back for the first time.
  const net::Endpoint& endpoint() const;
  // Grows whenever endpoint() changes: open connections still speak with the old certificate.
  std::uint64_t endpoint_revision() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::kube
