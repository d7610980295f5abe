// A communicator's name is the path of its creation calls. Each process states the names of its communicators from its
// own calls, and finds its calls under these names: so all members agree on each name.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::Row;

namespace {

// World ranks from first in steps, as the profile writes them.
std::string ranks_from(int first, int stride, int number) {
  std::string const start = std::to_string(first), end = std::to_string(first + stride * (number - 1));
  if (number == 1) return start;
  if (stride == 1) return start + "-" + end;
  return number == 2 ? start + "," + end : start + "-" + end + ":" + std::to_string(stride);
}

class Program {
 public:
  explicit Program(ProfileTest& profile_test) : test_(profile_test), n_(test_.ranks), me_(test_.rank) {}

  void duplicates() {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d1", {{"members", everybody()}, {"reorder", ""}});
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    made("Comm_dup_with_info", comm, "W_d2", {{"members", everybody()}});

    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    test_.expect("W", "Wait", {1, 0, 0});
    made("Comm_idup", comm, "W_d3", {{"members", everybody()}});
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    test_.expect("W", "Wait", {1, 0, 0});
    made("Comm_idup_with_info", comm, "W_d4", {{"members", everybody()}});
#else
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d4", {});
#endif
  }

  void splits() {
    MPI_Comm comm;
    // The key reverses the ranks; the smallest rank in the parent does not change.
    MPI_Comm_split(MPI_COMM_WORLD, me_ % 2, -me_, &comm);
    made("Comm_split", comm, me_ % 2 == 0 ? "W_s5.0" : "W_s5.1", {{"members", every_other(me_ % 2)}});

    MPI_Comm_split(MPI_COMM_WORLD, me_ == 0 ? MPI_UNDEFINED : 7, 0, &comm);
    made("Comm_split", comm, "W_s6.1", {{"members", ranks_from(1, 1, n_ - 1)}});

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    made("Comm_split_type", comm, "W_t7.0", {{"members", everybody()}});
    MPI_Comm_split_type(MPI_COMM_WORLD, me_ == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    made("Comm_split_type", comm, "W_t8.1", {{"members", ranks_from(1, 1, n_ - 1)}});
  }

  // Groups that are disjoint, so that one call makes two communicators.
  void groups() {
    MPI_Comm comm;
    MPI_Group world, mine;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int const half = n_ / 2;
    bool const is_below = me_ < half;
    int range[1][3] = {{is_below ? 0 : half, is_below ? half - 1 : n_ - 1, 1}};
    MPI_Group_range_incl(world, 1, range, &mine);
    MPI_Comm_create(MPI_COMM_WORLD, mine, &comm);
    made("Comm_create", comm, "W_c9." + std::to_string(is_below ? 0 : half),
         {{"members", is_below ? ranks_from(0, 1, half) : ranks_from(half, 1, n_ - half)}});
    MPI_Group_free(&mine);

    int const last = n_ - 1;
    MPI_Group_incl(world, me_ == last ? 1 : 0, &last, &mine);
    MPI_Comm_create(MPI_COMM_WORLD, mine, &comm);
    made("Comm_create", comm, "W_c10." + std::to_string(last), {{"members", std::to_string(last)}});
    if (mine != MPI_GROUP_EMPTY) MPI_Group_free(&mine);
    MPI_Group_free(&world);
  }

  void topologies() {
    MPI_Comm comm, sub;
    int const line[] = {n_}, shorter[] = {n_ > 1 ? n_ - 1 : 1}, grid[] = {1, n_}, periods[] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, line, periods, 0, &comm);
    made("Cart_create", comm, "W_a11", {{"topology", "cart " + std::to_string(n_) + " periods 1"}, {"reorder", "0"}});
    // The last process is not a member, but counts the call.
    MPI_Cart_create(MPI_COMM_WORLD, 1, shorter, periods, 0, &comm);
    made("Cart_create", comm, "W_a12", {{"members", ranks_from(0, 1, shorter[0])}});

    MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &comm);
    std::string const topology = "cart 1x" + std::to_string(n_) + " periods 10";
    made("Cart_create", comm, "W_a13", {{"topology", topology}}, false);
    int const row[] = {0, 1}, column[] = {1, 0}, point[] = {0, 0};
    MPI_Cart_sub(comm, row, &sub);
    made_of("W_a13", "Cart_sub", sub, "W_a13_b1.0", {{"topology", "cart " + std::to_string(n_) + " periods 0"}});
    MPI_Cart_sub(comm, column, &sub);
    made_of("W_a13", "Cart_sub", sub, "W_a13_b2." + std::to_string(me_),
            {{"topology", "cart 1 periods 1"}, {"size", "1"}});
    MPI_Cart_sub(comm, point, &sub);
    made_of("W_a13", "Cart_sub", sub, "W_a13_b3." + std::to_string(me_),
            {{"size", "1"}, {"members", std::to_string(me_)}});

    int const index[] = {1}, edge[] = {0}, degree[] = {1};
    MPI_Graph_create(MPI_COMM_WORLD, 1, index, edge, 0, &comm);
    made("Graph_create", comm, "W_r14", {{"topology", "graph 1"}, {"members", "0"}});
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me_, degree, edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    made("Dist_graph_create", comm, "W_g15", {{"topology", "dist_graph"}, {"reorder", "0"}});
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me_, MPI_UNWEIGHTED, 1, &me_, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                   &comm);
    made("Dist_graph_create_adjacent", comm, "W_g16", {{"topology", "dist_graph"}, {"reorder", "1"}});
  }

  // Calls that fail on all members have a place in the order, too.
  void failures() {
    MPI_Comm comm = MPI_COMM_NULL;
    int const too_many[] = {n_ + 1}, periods[] = {0};
    std::vector<int> const index(static_cast<std::size_t>(n_ + 1), 1), edge{0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int const graph = MPI_Graph_create(MPI_COMM_WORLD, n_ + 1, index.data(), edge.data(), 0, &comm);
    int const cart = MPI_Cart_create(MPI_COMM_WORLD, 1, too_many, periods, 0, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    test_.require(graph != MPI_SUCCESS && cart != MPI_SUCCESS, "a creation call succeeds that should not");
    test_.expect("W", "Graph_create", {1, 0, 0});
    test_.expect("W", "Cart_create", {1, 0, 0});
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d19", {});
  }

  // Calls on other communicators, of which the other members know nothing, are not part of a name.
  void elsewhere() {
    MPI_Comm half, of_half, comm;
    MPI_Comm_split(MPI_COMM_WORLD, me_ % 2, 0, &half);
    std::string const name = me_ % 2 == 0 ? "W_s20.0" : "W_s20.1";
    made("Comm_split", half, name, {}, false);
    for (int i = 1; i <= (me_ % 2 == 0 ? 1 : 3); ++i) {
      MPI_Comm_dup(half, &of_half);
      made_of(name, "Comm_dup", of_half, name + "_d" + std::to_string(i), {});
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d21", {});
  }

  // Five levels deep; all but the third are named by the user and freed.
  void nested() {
    std::vector<MPI_Comm> comms(6);
    comms[0] = MPI_COMM_WORLD;
    MPI_Group group;
    int const line[] = {n_}, periods[] = {0};
    MPI_Comm_dup(comms[0], &comms[1]);
    MPI_Comm_split(comms[1], 0, 0, &comms[2]);
    MPI_Comm_dup(comms[2], &comms[3]);
    MPI_Comm_group(comms[3], &group);
    MPI_Comm_create(comms[3], group, &comms[4]);
    MPI_Cart_create(comms[4], 1, line, periods, 0, &comms[5]);
    MPI_Group_free(&group);
    std::vector<std::string> const names{
        "W", "W_d22", "W_d22_s1.0", "W_d22_s1.0_d1", "W_d22_s1.0_d1_c1.0", "W_d22_s1.0_d1_c1.0_a1"};
    std::vector<std::string> const calls{"", "Comm_dup", "Comm_split", "Comm_dup", "Comm_create", "Cart_create"};
    for (std::size_t i = 1; i < 6; ++i) {
      MPI_Comm_set_name(comms[i], "first");
      MPI_Comm_set_name(comms[i], ("level " + std::to_string(i)).c_str());
      made_of(names[i - 1], calls[i], comms[i], names[i],
              {{"user_name", "level " + std::to_string(i)}, {"freed", i == 3 ? "0" : "1"}}, false);
      if (i == 3) continue;
      MPI_Comm_free(&comms[i]);
      test_.expect(names[i], "Comm_free", {1, 0, 0});
    }
  }

  void disconnected() {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d23", {{"freed", "1"}}, false);
    MPI_Comm_disconnect(&comm);
    test_.expect("W_d23", "Comm_disconnect", {1, 0, 0});
    MPI_Comm_set_name(MPI_COMM_WORLD, "all of us");
    test_.expect_communicator("W", {{"user_name", "all of us"}, {"members", everybody()}, {"freed", "0"}});
  }

  // Grids of each shape, whose duplicates have their topology; the last of an odd number of processes is not in the
  // halves.
  void shapes() {
    struct Grid {
      std::vector<int> dims, periods;
      std::string topology;
    };
    std::string const n = std::to_string(n_), half = std::to_string(n_ / 2);
    std::vector<Grid> const grids{
        {{n_}, {1}, "cart " + n + " periods 1"},
        {{n_}, {0}, "cart " + n + " periods 0"},
        {{1, n_, 1}, {1, 0, 0}, "cart 1x" + n + "x1 periods 100"},
        n_ > 1 ? Grid{{2, n_ / 2}, {0, 1}, "cart 2x" + half + " periods 01"} : Grid{{1}, {0}, "cart 1 periods 0"}};
    MPI_Comm comm, duplicate;
    for (std::size_t i = 0; i < grids.size(); ++i) {
      auto const& [dims, periods, topology] = grids[i];
      std::string const name = "W_a" + std::to_string(24 + i);
      MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
      made("Cart_create", comm, name, {{"topology", topology}, {"reorder", "0"}}, false);
      if (comm == MPI_COMM_NULL) continue;
      MPI_Comm_dup(comm, &duplicate);
      made_of(name, "Comm_dup", duplicate, name + "_d1", {{"topology", topology}});
    }

    std::vector<int> star_ends{n_ - 1}, star_edges;
    for (int i = 1; i < n_; ++i) star_edges.push_back(i), star_ends.push_back(n_ - 1 + i);
    star_edges.resize(static_cast<std::size_t>(2 * n_ - 1));  // to 0, and one more, so that the array exists
    MPI_Graph_create(MPI_COMM_WORLD, n_, star_ends.data(), star_edges.data(), 0, &comm);
    made("Graph_create", comm, "W_r28", {{"topology", "graph " + n}});
    int const degree = 1, next = (me_ + 1) % n_;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me_, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comm);
    made("Dist_graph_create", comm, "W_g29", {{"topology", "dist_graph"}, {"reorder", "1"}});
  }

 private:
  std::string everybody() const { return ranks_from(0, 1, n_); }
  std::string every_other(int first) const { return ranks_from(first, 2, (n_ - first + 1) / 2); }

  void made(std::string const& call, MPI_Comm comm, std::string const& name, Row columns, bool frees = true) {
    made_of("W", call, comm, name, std::move(columns), frees);
  }

  // Expects the result of a creation call: a communicator; if this process is not a member, only the call.
  void made_of(std::string const& parent, std::string const& call, MPI_Comm comm, std::string const& name, Row columns,
               bool frees = true) {
    test_.expect(parent, call, {1, 0, 0});
    if (comm == MPI_COMM_NULL) return;
    columns["parent"] = parent;
    columns["created_by"] = call;
    columns.try_emplace("size", std::to_string(NamedComm(comm, name).size));
    columns.try_emplace("freed", frees ? "1" : "0");
    test_.expect_communicator(name, columns);
    MPI_Barrier(comm);
    test_.expect(name, "Barrier", {1, 0, 0});
    if (!frees) return;
    MPI_Comm_free(&comm);
    test_.expect(name, "Comm_free", {1, 0, 0});
  }

  ProfileTest& test_;
  int n_, me_;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  Program program(test);
  program.duplicates();
  program.splits();
  program.groups();
  program.topologies();
  program.failures();
  program.elsewhere();
  program.nested();
  program.disconnected();
  program.shapes();
  return test.finish();
}
