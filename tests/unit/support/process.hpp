// The counts of one process of a run, for tests that combine several processes.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "profile/profile.hpp"

struct Process {
  Process(int rank, int ranks, std::string const& host, commprof::Registry const& registry,
          std::span<commprof::Record const> calls, std::span<commprof::PeerRecord const> messages)
      : facts(facts_of(rank, ranks, host)),
        records(calls),
        peers(messages),
        rows{facts, registry, regions, sites, records, peers, {}, {1'000'000'000}, 1, 1, "", {}, waits} {
    regions.start({0});
    sites.set_max_scopes(8);
    sites.start();
  }
  Process(Process const&) = delete;
  Process& operator=(Process const&) = delete;

  static commprof::RunFacts facts_of(int rank, int ranks, std::string const& host) {
    commprof::RunFacts facts;
    facts.rank = rank;
    facts.ranks = ranks;
    std::snprintf(facts.host, sizeof facts.host, "%s", host.c_str());
    return facts;
  }

  commprof::RunFacts facts;
  commprof::Regions regions;
  commprof::Sites sites;
  commprof::MergedRecords records;
  commprof::MergedPeers peers;
  commprof::OwnMessageWaits waits;
  commprof::RowContext rows;
};

// The rows that write(out) writes.
template <class Write>
std::string written_rows(Write&& write) {
  std::string text;
  char buffer[256];
  commprof::TextWriter out(
      buffer, sizeof buffer,
      [](void* to, char const* part, std::size_t length) { static_cast<std::string*>(to)->append(part, length); },
      &text);
  write(out);
  out.flush();
  return text;
}
