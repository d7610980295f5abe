#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "generator.hpp"

using namespace commprof::generator;

namespace {

std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> found;
  for (Prototype const& prototype : read_prototypes(text)) found.push_back(prototype.name);
  return found;
}

Prototype only_prototype(std::string_view text) {
  std::vector<Prototype> const prototypes = read_prototypes(text);
  REQUIRE(prototypes.size() == 1);
  return prototypes[0];
}

// The parameters as the generator reads them, declared with the names p0, p1 ….
std::vector<std::string> declared(std::string_view text) {
  std::vector<std::string> parameters;
  for (Parameter const& parameter : only_prototype(text).parameters)
    parameters.push_back(parameter.declare("p" + std::to_string(parameters.size())));
  return parameters;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a prototype has a name, a result and the types of its parameters") {
  Prototype const send = only_prototype(
      "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);");
  CHECK((send.name == "MPI_Send" && send.result == "int"));
  REQUIRE(send.parameters.size() == 6);
  CHECK((send.parameters[0].before == "const void *" && send.parameters[0].after.empty()));
  CHECK(send.parameters[2].before == "MPI_Datatype");
  Prototype const pcontrol = only_prototype("const char *MPI_Pcontrol(const int level, ...);");
  CHECK((pcontrol.parameters.size() == 1 && pcontrol.result == "const char *"));
  CHECK(only_prototype("unsigned long long MPI_Count_of();").result == "unsigned long long");
  CHECK(only_prototype("int MPI_Finalize(void);").parameters.empty());
}

TEST_CASE("parameters with and without a name, arrays, with const on either side, and functions") {
  CHECK(declared("int MPI_Get(int, int count, MPI_Comm, MPI_Comm comm, const void *, void *buf, MPI_Info *);") ==
        Lines{"int p0", "int p1", "MPI_Comm p2", "MPI_Comm p3", "const void * p4", "void * p5", "MPI_Info * p6"});
  CHECK(declared(
            "int MPI_Get(const MPI_Datatype, unsigned int n, struct Thing *, struct Thing t, long long, char ***);") ==
        Lines{"const MPI_Datatype p0", "unsigned int p1", "struct Thing * p2", "struct Thing p3", "long long p4",
              "char * * * p5"});
  CHECK(declared("int MPI_Get(const int counts[], const MPI_Datatype[], int ranges[][3], int[][3], char **argvs[]);") ==
        Lines{"const int p0[]", "const MPI_Datatype p1[]", "int p2[][3]", "int p3[][3]", "char * * p4[]"});
  CHECK(declared("int MPI_Get(int const counts[], void *const fixed, int const n, int const[], void const *);") ==
        Lines{"int const p0[]", "void * const p1", "int const p2", "int const p3[]", "void const * p4"});
  // Commas inside do not separate parameters.
  CHECK(only_prototype("int MPI_Keep(void (*callback)(int, MPI_Comm), int n);").parameters.size() == 2);
}

TEST_CASE("attributes, marks of the preprocessor and texts are passed over") {
  for (char const* const text :
       {"__attribute__((visibility(\"default\"))) extern int MPI_Barrier(MPI_Comm comm);",
        "extern int __attribute__((__deprecated__)) MPI_Barrier(MPI_Comm comm);",
        "int MPI_Barrier(MPI_Comm comm __attribute__((nonnull))) __attribute__((pointer_with_type_tag(MPI,1,3)));",
        "__declspec(dllimport) int MPI_Barrier(MPI_Comm comm);", "__extension__ int MPI_Barrier(MPI_Comm comm);",
        "# 1 \"mpi.h\" 3 4\nextern int\nMPI_Barrier(\n# 20 \"mpi.h\" 3 4\n\tMPI_Comm comm)\r\n;\n",
        "extern \"C\" int MPI_Barrier(MPI_Comm comm);"}) {
    INFO(text);
    CHECK(declared(text) == Lines{"MPI_Comm p0"});
    CHECK((only_prototype(text).name == "MPI_Barrier" && only_prototype(text).result == "int"));
  }
  CHECK(
      names(
          "int MPI_A(void) __attribute__((__deprecated__(\"use MPI_B(); or \\\"MPI_C(\\\" (\")));\nint MPI_D(void);") ==
      Lines{"MPI_A", "MPI_D"});
}

TEST_CASE("functions stand once, in their order, whatever bodies are between them") {
  CHECK(names("int MPI_Z(int n); int MPI_A(void); int MPI_Z(int n); int MPI_T_m(void); int MPIX_X(void);") ==
        Lines{"MPI_Z", "MPI_A", "MPI_T_m", "MPIX_X"});
  CHECK(names("extern \"C\" { extern \"C\" { int MPI_A(void); } int MPI_B(void); } int MPI_C(void);") ==
        Lines{"MPI_A", "MPI_B", "MPI_C"});
  for (char const* const before : {"struct Thing { int a; struct { int b; } c; };",
                                   "static inline int helper(int n) { if (n) { return 1; } return 0; }",
                                   "namespace N { int n; }\ntypedef void MPI_F(int);",
                                   "static inline int helper(int n) { return n; }\nextern \"C\" {"}) {
    INFO(before);
    CHECK(names(std::string(before) + "\nint MPI_A(void);\nint MPI_B(void);\n") == Lines{"MPI_A", "MPI_B"});
  }
}

TEST_CASE("text that is no C is read to its end") {
  for (char const* const text : {"", "int MPI_A(", "((((((", "}}}}", "\"an open string", "__attribute__((", "#", ";;;"})
    CHECK(names(text).empty());
}

TEST_CASE(
    "an mpi.h lacks a function of the standard if it has all its types or all but sessions, but not the function") {
  std::vector<Prototype> const standard = read_standard_calls(R"(
MPI_ABI_CALL(int, Barrier, (MPI_Comm comm))
MPI_ABI_CALL(int, Ibarrier, (MPI_Comm comm, MPI_Request* request))
MPI_ABI_CALL(int, Session_finalize, (MPI_Session* session))
MPI_ABI_CALL(int, Mrecv, (void* buf, int count, MPI_Message* message))
)");
  std::vector<Prototype> const missing =
      missing_prototypes(standard, "typedef int MPI_Comm; typedef int MPI_Request; int MPI_Barrier(MPI_Comm comm);");
  REQUIRE(missing.size() == 2);
  CHECK(missing[0].name == "MPI_Ibarrier");
  CHECK(missing[1].name == "MPI_Session_finalize");
}
