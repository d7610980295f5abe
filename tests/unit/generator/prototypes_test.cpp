#include "prototypes.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

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

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a prototype has a name, a result and the types of its parameters") {
  Prototype const send = only_prototype(
      "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);");
  CHECK(send.name == "MPI_Send");
  CHECK(send.result == "int");
  CHECK_FALSE(send.is_variadic);
  REQUIRE(send.parameters.size() == 6);
  CHECK(send.parameters[0].before == "const void *");
  CHECK(send.parameters[0].after == "");
  CHECK(send.parameters[1].before == "int");
  CHECK(send.parameters[2].before == "MPI_Datatype");
}

TEST_CASE("results of several words") {
  CHECK(only_prototype("double MPI_Wtime(void);").result == "double");
  CHECK(only_prototype("MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);").result == "MPI_Aint");
  CHECK(only_prototype("const char *MPI_Name(void);").result == "const char *");
  CHECK(only_prototype("unsigned long long MPI_Count_of(void);").result == "unsigned long long");
}

TEST_CASE("no parameters") {
  CHECK(only_prototype("int MPI_Finalize(void);").parameters.empty());
  CHECK(only_prototype("int MPI_Finalize();").parameters.empty());
}

TEST_CASE("parameters with and without a name") {
  CHECK(declared("int MPI_Get(int, int count, MPI_Comm, MPI_Comm comm, const void *, void *buf, MPI_Info *);") ==
        Texts{"int p0", "int p1", "MPI_Comm p2", "MPI_Comm p3", "const void * p4", "void * p5", "MPI_Info * p6"});
  CHECK(declared("int MPI_Get(const MPI_Datatype, unsigned int, unsigned int n, struct Thing *, struct Thing t, long "
                 "long);") == Texts{"const MPI_Datatype p0", "unsigned int p1", "unsigned int p2", "struct Thing * p3",
                                    "struct Thing p4", "long long p5"});
  CHECK(declared("int MPI_Init(int *argc, char ***argv);") == Texts{"int * p0", "char * * * p1"});
}

TEST_CASE("parameters that are arrays") {
  CHECK(declared(
            "int MPI_Get(const int counts[], const MPI_Datatype types[], int ranges[][3], MPI_Request[], int x[4]);") ==
        Texts{"const int p0[]", "const MPI_Datatype p1[]", "int p2[][3]", "MPI_Request p3[]", "int p4[4]"});
  CHECK(declared("int MPI_Get(const int[], const MPI_Datatype[], int[][3], char *argv[], char **argvs[]);") ==
        Texts{"const int p0[]", "const MPI_Datatype p1[]", "int p2[][3]", "char * p3[]", "char * * p4[]"});
}

TEST_CASE("a const behind the type belongs to the type") {
  CHECK(declared("int MPI_Get(int const counts[], void const *buf, void *const fixed, int const n);") ==
        Texts{"int const p0[]", "void const * p1", "void * const p2", "int const p3"});
  CHECK(declared("int MPI_Get(int const[], MPI_Datatype const[], void const *);") ==
        Texts{"int const p0[]", "MPI_Datatype const p1[]", "void const * p2"});
}

TEST_CASE("parameters that are functions come through their type's name") {
  CHECK(declared("int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);") ==
        Texts{"MPI_User_function * p0", "int p1", "MPI_Op * p2"});
  CHECK(only_prototype("int MPI_Keep(void (*callback)(int, MPI_Comm), int n);").parameters.size() ==
        2);  // commas inside do not separate parameters
}

TEST_CASE("a function with any number of arguments") {
  Prototype const pcontrol = only_prototype("int MPI_Pcontrol(const int level, ...);");
  CHECK(pcontrol.is_variadic);
  REQUIRE(pcontrol.parameters.size() == 1);
  CHECK(pcontrol.parameters[0].before == "const int");
}

TEST_CASE("attributes before, between and behind are passed over") {
  Prototype const before =
      only_prototype("__attribute__((visibility(\"default\"))) extern int MPI_Barrier(MPI_Comm comm);");
  CHECK(before.name == "MPI_Barrier");
  CHECK(before.result == "int");
  Prototype const between = only_prototype("extern int __attribute__((__deprecated__)) MPI_Barrier(MPI_Comm comm);");
  CHECK(between.result == "int");
  Prototype const behind = only_prototype(
      "int MPI_Send(const void *buf, int count, MPI_Comm comm) __attribute__((pointer_with_type_tag(MPI,1,3), "
      "nonnull(1)));");
  CHECK(behind.name == "MPI_Send");
  CHECK(behind.parameters.size() == 3);
  CHECK(only_prototype("__declspec(dllimport) int MPI_Barrier(MPI_Comm comm);").result == "int");
  CHECK(only_prototype("__extension__ int MPI_Barrier(MPI_Comm comm);").result == "int");
  CHECK(declared("int MPI_Send(const void *buf __attribute__((nonnull)), int n);") ==
        Texts{"const void * p0", "int p1"});
}

TEST_CASE("a text in an attribute hides nothing") {
  CHECK(
      names(
          "int MPI_A(void) __attribute__((__deprecated__(\"use MPI_B(); or \\\"MPI_C(\\\" (\")));\nint MPI_D(void);") ==
      Texts{"MPI_A", "MPI_D"});
}

TEST_CASE("a declaration over several lines, with the marks of the preprocessor") {
  Prototype const prototype = only_prototype(
      "# 1 \"mpi.h\" 3 4\n"
      "extern int\n"
      "MPI_Send(const void *buf,\n"
      "# 20 \"mpi.h\" 3 4\n"
      "         int count,\n"
      "\tMPI_Comm comm)\r\n"
      ";\n");
  CHECK(prototype.name == "MPI_Send");
  CHECK(prototype.parameters.size() == 3);
}

TEST_CASE("declarations within extern \"C\"") {
  CHECK(names("extern \"C\" {\nint MPI_A(void);\nint MPI_B(int n);\n}\nint MPI_C(void);") ==
        Texts{"MPI_A", "MPI_B", "MPI_C"});
  CHECK(names("extern \"C\" { extern \"C\" { int MPI_A(void); } int MPI_B(void); }") == Texts{"MPI_A", "MPI_B"});
}

TEST_CASE("a single declaration that is extern \"C\"") {
  CHECK(names("extern \"C\" int MPI_A(void); int MPI_B(void);") == Texts{"MPI_A", "MPI_B"});
  CHECK(only_prototype("extern \"C\" int MPI_A(void);").result == "int");
}

TEST_CASE("types, variables and functions of others are no MPI functions") {
  CHECK(names("typedef int (MPI_Comm_copy_attr_function)(MPI_Comm, int, void *);"
              "typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);"
              "typedef struct ompi_communicator_t *MPI_Comm;"
              "typedef struct MPI_Status { int MPI_SOURCE; int (*MPI_Function)(int); } MPI_Status;"
              "struct MPI_Status { int count; };"
              "enum { MPI_TAG_UB, MPI_HOST };"
              "extern int MPI_Variable;"
              "extern MPI_Fint *MPI_F_STATUS_IGNORE;"
              "int PMPI_Send(int n);"
              "int MPI(int n);"
              "int ompi_MPI_Send(int n);"
              "int printf(const char *, ...);")
            .empty());
}

TEST_CASE("extensions of an MPI are MPI functions too") {
  CHECK(names("int MPIX_Query_cuda_support(void); int MPI_T_init_thread(int required, int *provided);") ==
        Texts{"MPIX_Query_cuda_support", "MPI_T_init_thread"});
}

TEST_CASE("a function that is declared twice is one function") {
  CHECK(names("int MPI_A(int n); int MPI_B(void); int MPI_A(int n);") == Texts{"MPI_A", "MPI_B"});
}

TEST_CASE("functions are in the order of their declaration") {
  CHECK(names("int MPI_Z(void); int MPI_A(void); int MPI_M(void);") == Texts{"MPI_Z", "MPI_A", "MPI_M"});
}

TEST_CASE("a struct's body hides no declaration behind it") {
  CHECK(names("struct Thing { int a; struct { int b; } c; }; int MPI_A(void);") == Texts{"MPI_A"});
}

TEST_CASE("a function's body hides no declaration behind it") {
  CHECK(
      names("static inline int helper(int n) { if (n) { return 1; } return 0; }\nint MPI_A(void);\nint MPI_B(void);") ==
      Texts{"MPI_A", "MPI_B"});
  CHECK(names("static inline int helper(int n) { return n; }\nextern \"C\" {\nint MPI_A(void);\n}") == Texts{"MPI_A"});
  CHECK(names("namespace std { typedef unsigned long size_t; }\nextern \"C\" {\nint MPI_A(void);\n}") ==
        Texts{"MPI_A"});
  CHECK(only_prototype("namespace std { typedef unsigned long size_t; }\nint MPI_A(void);").result == "int");
}

TEST_CASE("a type behind a body is no function") {
  CHECK(names("namespace N { int n; }\ntypedef void MPI_User_function(void *);\nint MPI_A(void);") == Texts{"MPI_A"});
}

TEST_CASE("text that is no C is read to its end") {
  CHECK(names("").empty());
  CHECK(names("int MPI_A(").empty());
  CHECK(names("((((((").empty());
  CHECK(names("}}}}").empty());
  CHECK(names("\"an open string").empty());
  CHECK(names("__attribute__((").empty());
  CHECK(names("#").empty());
  CHECK(names(";;;").empty());
}

TEST_CASE("the list of the standard ABI gives prototypes") {
  std::vector<Prototype> const found = read_standard_calls(R"(
#define MPI_ABI_CALL(result, name, parameters) result MPI_##name parameters;

MPI_ABI_CALL(double, Wtime, (void))
MPI_ABI_CALL(int, Bcast_c, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm))
)");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "MPI_Wtime");
  CHECK(found[0].result == "double");
  CHECK(found[0].parameters.empty());
  CHECK(found[1].name == "MPI_Bcast_c");
  REQUIRE(found[1].parameters.size() == 5);
  CHECK(found[1].parameters[1].declare("count") == "MPI_Count count");
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
