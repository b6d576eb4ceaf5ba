// DecisionRecord: what was decided about requests, with the numbers of that moment; and what
// follows from it when somebody asks why.
//
// Repeated refusals with the same words are one entry. Nothing is guessed: what was decided before
// the record began is not in it.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "core/framework/decision.h"
#include "core/requests/request_table.h"
#include "explain/verdict/verdict.h"

namespace tutti::queues {

class DecisionRecord final : public core::DecisionListener {
 public:
  struct Figure {  // of the request's queue
    std::string flavor;
    std::string resource;
    std::int64_t nominal = 0;
    std::int64_t used = 0;
    std::int64_t charged = 0;  // to the request itself
  };
  struct Entry {
    Instant at;
    core::Decision::Kind kind = core::Decision::Kind::admitted;
    std::string entity;  // "Workload ns/name", or of another kind: no figures
    std::string queue;   // its ClusterQueue
    std::string rule;    // word(Rule), or why it left otherwise: "PodsReadyTimeout"
    std::string by;      // "ns/name" of the request that it left for
    std::string message;
    std::int64_t priority = 0;
    std::int64_t timestamp = 0;     // in its queue, milliseconds
    std::optional<Millis> ran{};    // it had been admitted so long when it left
    std::vector<Figure> figures{};  // of flavors that it is charged for, or else asks for
    // When it left, a few of those who held quota of its queue and stayed; else its victims.
    std::vector<std::string> others{};
    // Pods and their nodes: where they were placed, or who was evicted for it.
    std::vector<std::pair<std::string, std::string>> pods{};
  };

  // Figures come from there; it must outlive every decision.
  void follow(const core::RequestTable& table) { table_ = &table; }
  void decided(const core::Decision& decision) override;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void look(const core::Request& request, Entry& entry) const;

  const core::RequestTable* table_ = nullptr;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> last_;  // entry of an entity
};

// The answer to `tutti why`.
struct Why {
  struct Line {
    Instant at;
    std::string kind;  // "admitted", "overtaken", "evicted" …
    std::string rule;
    std::string summary;
    std::string by;                      // who it left for, or who overtook it
    std::vector<std::string> instead{};  // who was spared, or went
    std::string cost;                    // what was lost
  };
  std::string object;       // "Workload ml/train"
  std::string outcome;      // "running", "waiting", "overtaken", "evicted", "finished"
  std::vector<Line> lines;  // newest first
  std::string other;        // of a comparison
  std::string difference;
};

// Answers for a request: `entity` is "Workload ns/name", `object` what people call it.
Why why(const DecisionRecord& record, const core::RequestTable& table, const std::string& entity,
        const std::string& object);
// What the scheduler knows of something in no queue: its entities, "Pod ns/name" or the roots of
// groups, and its pods, "ns/name".
struct Placing {
  std::set<std::string> entities;
  std::set<std::string> pods;
  std::string state;  // as `tutti run` shows it: "Running"
};
// Answers for it; who was placed before it meanwhile is not told.
Why why(const DecisionRecord& record, const Placing& placing, const std::string& object);
// The first key in which the order of the two differs, or what the other lacked.
std::string difference(const DecisionRecord& record, const core::RequestTable& table,
                       const std::string& entity, const std::string& other);

// At most three sentences.
std::string text_of(const Why& why, Instant start);
void walk(const Why& why, Instant start, explain::FieldSink& sink);

}  // namespace tutti::queues
