"""The steps as a Fortran program in one of the bindings mpif_h, use_mpi, use_mpi_f08."""
import ast

from program import Program

KINDS = {"aint": "MPI_ADDRESS_KIND", "offset": "MPI_OFFSET_KIND", "MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND",
         "MPI_Count": "MPI_COUNT_KIND", "count": "MPI_COUNT_KIND", "displacement": "MPI_ADDRESS_KIND"}
HANDLES = {"comm": "MPI_Comm", "request": "MPI_Request", "win": "MPI_Win", "file": "MPI_File", "message": "MPI_Message",
           "group": "MPI_Group", "session": "MPI_Session", "datatype": "MPI_Datatype",
           "info": "MPI_Info"}

TEXT = """\
program bindings
{use}
  integer :: arguments, error
{declarations}
  arguments = command_argument_count()
{steps}
contains
  subroutine begin_step(step)
    character(len=*), intent(in) :: step
    if (arguments > 1) write (0, *) step
  end subroutine
  subroutine require(holds, step)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: step
    if (holds) return
    write (0, *) step
    error stop
  end subroutine
  subroutine end_step(step)
    character(len=*), intent(in) :: step
    if (error == MPI_SUCCESS) return
    write (0, *) step, ": error ", error
    error stop
  end subroutine
end program
"""


class FortranProgram(Program):
    OPERATORS = Program.OPERATORS | {ast.And: ".and.", ast.Or: ".or.", ast.Not: ".not.", ast.NotEq: "/="}
    NAMES = Program.NAMES | {"INT": "MPI_INTEGER"}

    def __init__(self, mpi):
        self.binding, self.calls = mpi.binding, 0
        super().__init__(mpi)

    def text(self):
        use = {"mpif_h": "  implicit none\n  include 'mpif.h'", "use_mpi": "  use mpi\n  implicit none",
               "use_mpi_f08": "  use mpi_f08\n  use iso_c_binding\n  implicit none"}[self.binding]
        if self.binding == "use_mpi_f08" and self.mpi.name == "openmpi":
            use = "  use mpi_f08_ext\n" + use
        declarations = "\n".join(self.declaration(name, *variable) for name, variable in self.variables.items())
        return TEXT.format(use=use, declarations=declarations, steps="\n".join(self.lines))

    def declaration(self, name, kind, length):
        is_f08 = self.binding == "use_mpi_f08"
        shape = [] if length is None else [f"0:{length - 1}"]
        if kind == "status" and not is_f08:
            shape.insert(0, "MPI_STATUS_SIZE")
        return f"  {self.type(kind, is_f08)}, save :: {name}{'(' + ', '.join(shape) + ')' if shape else ''}"

    def type(self, kind, is_f08):
        if kind in HANDLES or kind == "status":
            return f"type({HANDLES.get(kind, 'MPI_Status')})" if is_f08 else "integer"
        if kind == "address":
            return "type(c_ptr)" if is_f08 else "integer(MPI_ADDRESS_KIND)"
        if kind in ("aint", "offset") or (kind in KINDS and self.mpi.large):
            return f"integer({KINDS[kind]})"
        if kind in ("text", "command"):
            return "character(len=MPI_MAX_PORT_NAME)" if kind == "text" else "character(len=16)"
        return "logical" if kind == "logical" else "integer"

    def constant(self, value):
        if isinstance(value, bool):
            return f".{str(value).lower()}."
        return f'"{value}"' if isinstance(value, str) else str(value)

    # Arrays are declared from 0, as the steps have them.
    def subscript(self, node):
        name, index = node.value.id, node.slice
        if isinstance(index, ast.Slice):  # stops one short, as in Python
            parts = (self.expression(index.lower), f"{self.expression(index.upper)} - 1", self.expression(index.step))
            return f"{name}({':'.join(parts)})"
        return self.element(name, self.expression(index))

    def element(self, name, index):
        return f"{name}({index})"

    def field(self, status, name):
        return f"{status}%{name}" if self.binding == "use_mpi_f08" else f"{status}({name})"

    def require(self, test, step):
        self.line(f'call require({test}, "{step}")')

    def modulo(self, left, right):
        return f"mod({left}, {right})"

    def choice(self, test, value, otherwise):
        return f"merge({value}, {otherwise}, {test})"

    def assign(self, target, value):
        self.line(f"{target} = {value}")

    def fill(self, name, length, value):
        self.assign(name, value)

    def condition(self, node):
        self.block(f"if ({self.expression(node.test)}) then", node.body, None if node.orelse else "end if")
        if node.orelse:
            self.block("else", node.orelse, "end if")

    def count_to(self, variable, end, body):
        self.block(f"do {variable} = 0, {end} - 1", body, "end do")

    def repeat_while(self, test, body):
        self.block(f"do while ({test})", body, "end do")

    def call(self, call, function, step):
        parameters = self.mpi.prototypes[function]
        if function in ("MPI_Init", "MPI_Init_thread"):
            parameters = parameters[2:]  # argc and argv are C's
        texts = [self.argument(argument, parameter) for argument, parameter in zip(call.args, parameters, strict=True)]
        # mpi_f08 lets a program leave the error out: every second call does.
        self.calls += 1
        if function != "MPI_Pcontrol" and not (self.binding == "use_mpi_f08" and self.calls % 2 == 0):
            texts.append("error")
        self.line(f'call begin_step("{step}")')
        self.line("error = MPI_SUCCESS")
        self.line(f"call {function.removesuffix('_c')}({', '.join(texts)})")
        self.line(f'call end_step("{step}")')

    def argument(self, node, parameter):
        text = self.expression(node)
        kind = None if parameter.is_pointer else KINDS.get(parameter.type)
        return f"int({text}, {kind})" if kind else text
