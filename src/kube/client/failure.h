// Puts failures into words: what the server said in its metav1.Status, or why nothing came.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "kube/client/api_client.h"
#include "net/http_client.h"

namespace tutti::kube {

// The answer to a request that the server answered. Of a failure the reason, the message and the
// wait that it asks for, read from the Status in the body; a body that is none (a proxy's page) is
// quoted, briefly.
Answer answer_of(net::Response response);

// The answer to a request that got none.
Answer no_answer(Error why);

}  // namespace tutti::kube
