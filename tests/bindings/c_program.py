"""The steps as a C program."""
import ast

from program import INTEGERS, Program

TYPES = {"comm": "MPI_Comm", "request": "MPI_Request", "win": "MPI_Win", "file": "MPI_File", "message": "MPI_Message",
         "group": "MPI_Group", "session": "MPI_Session", "datatype": "MPI_Datatype",
         "status": "MPI_Status", "info": "MPI_Info",
         "logical": "int", "address": "void*", "command": "char*"}

TEXT = """\
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>

static int trace;

static void begin_step(char const* step) {{
  if (trace) fprintf(stderr, "%s\\n", step);
}}

static void require(int holds, char const* step) {{
  if (holds) return;
  fprintf(stderr, "%s\\n", step);
  abort();
}}

static void end_step(int error, char const* step) {{
  if (error == MPI_SUCCESS) return;
  fprintf(stderr, "%s: error %d\\n", step, error);
  abort();
}}

{declarations}
int main(int argc, char** argv) {{
  int const arguments = argc - 1;
  trace = arguments > 1;
  (void)argv;
{steps}
  return 0;
}}
"""


class CProgram(Program):
    OPERATORS = Program.OPERATORS | {ast.And: "&&", ast.Or: "||", ast.Not: "!", ast.NotEq: "!="}
    NAMES = Program.NAMES | {"INT": "MPI_INT"}

    def text(self):
        declarations = "".join(self.declaration(name, *variable) for name, variable in self.variables.items())
        return TEXT.format(declarations=declarations, steps="\n".join(self.lines))

    def declaration(self, name, kind, length):
        if kind == "text":
            return f"static char {name}[MPI_MAX_PORT_NAME];\n"
        return f"static {self.type(kind)} {name}{'' if length is None else f'[{length}]'};\n"

    def type(self, kind):
        if kind in INTEGERS:
            return INTEGERS[kind] if self.mpi.large or kind in ("aint", "offset") else "int"
        return TYPES[kind]

    def constant(self, value):
        if isinstance(value, bool):
            return str(int(value))
        return f'(char*)"{value}"' if isinstance(value, str) else str(value)

    def subscript(self, node):
        return self.element(node.value.id, self.expression(node.slice))

    def element(self, name, index):
        return f"{name}[{index}]"

    def field(self, status, name):
        return f"{status}.{name}"

    def require(self, test, step):
        self.line(f'require({test}, "{step}");')

    def modulo(self, left, right):
        return f"({left} % {right})"

    def choice(self, test, value, otherwise):
        return f"({test} ? {value} : {otherwise})"

    def assign(self, target, value):
        self.line(f"{target} = {value};")

    def fill(self, name, length, value):
        self.line(f"for (int i = 0; i < {length}; ++i) {name}[i] = {value};")

    def condition(self, node):
        self.block(f"if {self.expression(node.test)} {{", node.body, None if node.orelse else "}")
        if node.orelse:
            self.block("} else {", node.orelse, "}")

    def count_to(self, variable, end, body):
        self.block(f"for ({variable} = 0; {variable} < {end}; ++{variable}) {{", body, "}")

    def repeat_while(self, test, body):
        self.block(f"while {test} {{", body, "}")

    def call(self, call, function, step):
        arguments = list(call.args)
        texts = ["NULL", "NULL"] if function in ("MPI_Init", "MPI_Init_thread") else []
        parameters = self.mpi.prototypes[function][len(texts):]
        texts += [self.argument(argument, parameter) for argument, parameter in zip(arguments, parameters, strict=True)]
        self.line(f'begin_step("{step}");')
        self.line(f'end_step({function}({", ".join(texts)}), "{step}");')

    def argument(self, node, parameter):
        text = self.expression(node)
        if not parameter.is_pointer:
            return text
        kind, length = self.variables.get(node.id, (None, 0)) if isinstance(node, ast.Name) else (None, 0)
        is_scalar = length is None and kind != "text"
        return "&" + text if is_scalar or isinstance(node, ast.Subscript) else text
