"""Turns the steps into a program: what C and Fortran have in common."""
import ast

from script import call_of, read_steps

INTEGERS = {"int": "int", "aint": "MPI_Aint", "count": "MPI_Count", "displacement": "MPI_Aint", "offset": "MPI_Offset"}


class Program:
    """Walks the steps; a language gives the words. Variables: name -> (type, length or None, initial value or None)."""

    OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Eq: "==", ast.Lt: "<", ast.Gt: ">",
                 ast.LtE: "<=", ast.GtE: ">="}
    NAMES = {"W": "MPI_COMM_WORLD", "SELF": "MPI_COMM_SELF"}

    def __init__(self, mpi):
        self.mpi, self.variables, self.lines, self.depth, self.file = mpi, {}, [], 1, ""
        for self.file, statement in read_steps(mpi):
            self.statement(statement)

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def block(self, head, body, end):
        self.line(head)
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1
        if end:
            self.line(end)

    def statement(self, node):
        if isinstance(node, ast.If):
            self.condition(node)
        elif isinstance(node, ast.For):
            self.variables.setdefault(node.target.id, ("int", None))
            self.count_to(node.target.id, self.expression(node.iter.args[0]), node.body)
        elif isinstance(node, ast.While):
            self.repeat_while(self.expression(node.test), node.body)
        elif isinstance(node, ast.AnnAssign):
            self.declare(node)
        elif isinstance(node, ast.Assign):
            self.assign(self.expression(node.targets[0]), self.expression(node.value))
        elif isinstance(node, ast.Assert):
            self.require(self.expression(node.test), f"{self.file}.py:{node.lineno} {ast.unparse(node)}")
        elif isinstance(node, ast.Pass):
            pass
        else:
            call, _ = call_of(node)
            function = self.mpi.function(call.func.id)
            if function is None:
                raise SystemExit(f"{self.file}.py:{node.lineno}: {self.mpi.name} has no {call.func.id}")
            self.call(call, function, f"{self.file}.py:{node.lineno} {function}")

    def declare(self, node):
        name, kind, length = node.target.id, node.annotation, None
        if isinstance(kind, ast.Subscript):
            kind, length = kind.value, ast.literal_eval(kind.slice)
        if self.variables.setdefault(name, (kind.id, length)) != (kind.id, length):
            raise SystemExit(f"{self.file}.py:{node.lineno}: {name} is declared twice")
        if node.value is None or kind.id == "comm":
            return
        if isinstance(node.value, ast.List):
            for i, value in enumerate(node.value.elts):
                self.assign(self.element(name, str(i)), self.expression(value))
        elif length is not None:
            self.fill(name, length, self.expression(node.value))
        else:
            self.assign(name, self.expression(node.value))

    def expression(self, node):
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Name):
            return self.NAMES.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return self.field(node.value.id, node.attr)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self.modulo(self.expression(node.left), self.expression(node.right))
        if isinstance(node, ast.BinOp):
            return f"({self.expression(node.left)} {self.OPERATORS[type(node.op)]} {self.expression(node.right)})"
        if isinstance(node, ast.Compare):
            return f"({self.expression(node.left)} {self.OPERATORS[type(node.ops[0])]} {self.expression(node.comparators[0])})"
        if isinstance(node, ast.BoolOp):
            return "(" + f" {self.OPERATORS[type(node.op)]} ".join(self.expression(value) for value in node.values) + ")"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"({self.OPERATORS[ast.Not]} {self.expression(node.operand)})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"(-{self.expression(node.operand)})"
        if isinstance(node, ast.IfExp):
            return self.choice(*(self.expression(part) for part in (node.test, node.body, node.orelse)))
        raise SystemExit(f"{self.file}.py:{node.lineno}: the programs have no {ast.dump(node)}")
