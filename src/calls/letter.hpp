// The letters that stand for creation calls in the names of communicators: docs/design.md, Names.
#pragma once

namespace commprof {

enum class Letter : char {
  none = 0,
  dup = 'd',
  split = 's',
  split_type = 't',
  create = 'c',
  cart = 'a',
  cart_sub = 'b',
  graph = 'r',
  dist_graph = 'g',
  create_group = 'u',
  from_group = 'f',
  intercomm = 'i',
  merge = 'm',
  spawn = 'p',
  connect = 'x',
  foreign = 'U',
};

}  // namespace commprof
