"""Reads the steps: Python syntax, of which one part is turned into the programs and another evaluated for what they record.

A step is `Call(arguments) >> expectation`, the call without MPI_ and, after `>>`, the communicator it counts on with the bytes
sent and received: `dup(16, 0)`, or `dup` where there are none; several in parentheses. `dup.none` is for the operation's name
with -none. A call that is not counted has no expectation.

    dup: comm = "W_d1"        declares a variable; a communicator's value is its name in the profile, evaluated here only
                              (every_other(1, ranks): the ranks 1, 3, … as in names)
    counts: count[8] = 2      types: comm request win file message group session info datatype status int logical
                              aint offset address text command; count and displacement: those of the v-forms, which large counts make larger
    if, for … in range(…)     in the programs and in the evaluation alike
    while not flag:           polls: its calls are counted once and may have found nothing before
    assert flag               what the program must find itself; st.MPI_SOURCE is a field of a status
    def name(a, *b): …        a macro; calls are arguments like others

W and SELF are the predefined communicators. Some names are known before a program is written: mpi, binding, large, has(Call). An `if` with these alone chooses what is
written; a program never sees the other part.
"""
import ast
import copy
import functools
import os

STEPS = ("begin", "topologies", "communicators", "point_to_point", "partitioned", "completion", "collectives", "neighborhoods",
         "windows", "files", "sessions", "worlds", "end")


class _Static(ast.NodeTransformer):
    """Puts in the values that are known before a program is written, and drops the branches that they rule out."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return ast.copy_location(ast.Constant(self.values[node.id]), node) if node.id in self.values else node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "has" and node.args[0].id[0].isupper():
            return ast.copy_location(ast.Constant(self.values["__has__"](node.args[0].id)), node)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if any(isinstance(inner, ast.Name) for inner in ast.walk(node)):
            return node
        return ast.copy_location(ast.Constant(evaluate(node, {})), node)

    def visit_If(self, node):
        self.generic_visit(node)
        if any(isinstance(inner, ast.Name) for inner in ast.walk(node.test)):
            return node
        return node.body if evaluate(node.test, {}) else node.orelse


class _Macros(ast.NodeTransformer):
    """Puts the bodies of macros where they are called."""

    def __init__(self, macros):
        self.macros = macros

    def visit_FunctionDef(self, node):
        self.macros[node.name] = node

    def visit_Expr(self, node):
        call = node.value
        if not (isinstance(call, ast.Call) and call.func.id in self.macros):
            return node
        macro = self.macros[call.func.id]
        names = [argument.arg for argument in macro.args.args]
        arguments = dict(zip(names, call.args))
        rest = call.args[len(names):]
        if len(arguments) < len(names) or (rest and macro.args.vararg is None):
            raise SystemExit(f"line {node.lineno}: wrong arguments of {call.func.id}")
        steps = []
        for step in macro.body:
            step = _Arguments(arguments, macro.args.vararg and macro.args.vararg.arg, rest).visit(copy.deepcopy(step))
            for inner in ast.walk(step):  # errors show the line that the reader knows
                if hasattr(inner, "lineno"):
                    inner.lineno = inner.end_lineno = node.lineno
            inserted = self.visit(step)
            steps += inserted if isinstance(inserted, list) else [inserted]
        return steps


class _Arguments(ast.NodeTransformer):
    """Puts the arguments in the place of a macro's parameters; rest in that of *rest_name."""

    def __init__(self, arguments, rest_name, rest):
        self.arguments, self.rest_name, self.rest = arguments, rest_name, rest

    def visit_Name(self, node):
        return copy.deepcopy(self.arguments.get(node.id, node))

    def visit_Call(self, node):
        arguments = []
        for argument in node.args:
            is_rest = isinstance(argument, ast.Starred) and argument.value.id == self.rest_name
            arguments += copy.deepcopy(self.rest) if is_rest else [argument]
        node.args = arguments
        self.generic_visit(node)
        return node


class Environment(dict):
    """The variables of an evaluation. What only MPI knows has no value."""

    def __missing__(self, name):
        if name.startswith("MPI_"):
            return None
        raise KeyError(name)


@functools.cache
def _compiled(expression):
    return compile(ast.fix_missing_locations(ast.Expression(expression)), "steps", "eval")


def evaluate(expression, environment):
    return eval(_compiled(expression), {}, environment)


@functools.cache
def read_steps(mpi):
    """The steps of one program: a list of (file, statement). Ranks share it: nobody may change it."""
    values = {"mpi": mpi.name, "binding": mpi.binding, "large": mpi.large, "__has__": lambda call: mpi.function(call) is not None}
    macros, steps = {}, []
    for name in STEPS:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "steps", name + ".py")
        with open(path) as file:
            tree = ast.parse(file.read(), path)
        # Once more after the macros, whose arguments has() may ask for.
        tree = _Static(values).visit(_Macros(macros).visit(_Static(values).visit(tree)))
        steps += [(name, statement) for statement in tree.body if not _is_text(statement)]
    return steps


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def call_of(statement):
    """A step's call, and its expectation or None; (None, None) for what is no step."""
    if not isinstance(statement, ast.Expr):
        return None, None
    value = statement.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.RShift):
        return value.left, value.right
    return value, None
