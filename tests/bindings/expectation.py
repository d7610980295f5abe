"""Evaluates the steps for a process: what its profile must hold."""
import ast
from collections import Counter

from prototypes import operation
from script import Environment, call_of, evaluate, read_steps


class Communicator:
    """An expectation: dup, dup(16, 0), dup.none."""

    def __init__(self, name, sent=0, received=0, suffix=""):
        self.name, self.sent, self.received, self.suffix = name, sent, received, suffix

    def __call__(self, sent, received):
        return Communicator(self.name, sent, received, self.suffix)

    @property
    def none(self):
        return Communicator(self.name, suffix="-none")

def every_other(first, ranks):
    """Every second rank from the first one, as names of communicators have them: 0, 0-2:2."""
    last = ranks - 1 - (ranks - 1 - first) % 2
    return f"{first}" if last == first else f"{first}-{last}:2"

class Expectation:
    """After run(): counts, (communicator, operation) -> [calls, sent, received]; polled, the keys that may be there as often
    as timing has it; names, the communicators; user_names; called, the C functions."""

    def __init__(self, mpi, rank, ranks):
        self.mpi = mpi
        self.counts, self.polled, self.user_names, self.called = {}, set(), {}, Counter()
        self.names = {"W", "SELF"}
        self.environment = Environment(rank=rank, ranks=ranks, arguments=int(ranks > 1), W=Communicator("W"),
                                       SELF=Communicator("SELF"), every_other=every_other)
        for _, statement in read_steps(mpi):
            self._run(statement, polling=False)

    def _run(self, statement, polling):
        run_all = lambda body, polling=polling: [self._run(inner, polling) for inner in body]
        if isinstance(statement, ast.If):
            run_all(statement.body if self._value(statement.test) else statement.orelse)
        elif isinstance(statement, ast.For):
            for value in self._value(statement.iter):
                self.environment[statement.target.id] = value
                run_all(statement.body)
        elif isinstance(statement, ast.While):
            run_all(statement.body, polling=True)
        elif isinstance(statement, ast.AnnAssign):
            self._declare(statement)
        elif _is_of_program(statement):
            pass
        elif isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Subscript):
                self.environment[target.value.id][self._value(target.slice)] = self._value(statement.value)
            else:
                self.environment[target.id] = self._value(statement.value)
        else:
            self._step(*call_of(statement), polling)

    def _value(self, expression):
        return evaluate(expression, self.environment)

    def _declare(self, statement):
        name, kind = statement.target.id, statement.annotation
        if isinstance(kind, ast.Subscript):
            length = self._value(kind.slice)
            value = self._value(statement.value) if statement.value and _is_number(kind.value.id) else None
            self.environment[name] = list(value) if isinstance(value, list) else [value] * length
        elif kind.id == "comm":
            communicator = statement.value and self._value(statement.value)
            self.environment[name] = Communicator(communicator)
            if communicator:
                self.names.add(communicator)
        elif statement.value is not None and _is_number(kind.id):
            self.environment[name] = self._value(statement.value)

    def _step(self, call, expected, polling):
        function = self.mpi.function(call.func.id)
        if function is None:
            raise ValueError(f"{self.mpi.name} has no {call.func.id}")
        self.called[function] += 1
        if call.func.id == "Comm_set_name":
            self.user_names[self._value(call.args[0]).name] = self._user_name(call.args[1].value)
        if expected is None:
            return
        value = self._value(expected)
        for communicator in value if isinstance(value, tuple) else (value,):
            key = (communicator.name, operation(function) + communicator.suffix)
            counts = self.counts.setdefault(key, [0, 0, 0])
            for i, amount in enumerate((1, communicator.sent, communicator.received)):
                counts[i] += amount
            if polling:
                self.polled.add((communicator.name, operation(function) + "-none"))

    def _user_name(self, name):
        return name if self.mpi.binding == "c" else name.rstrip(" ")  # Fortran pads with blanks

def _is_of_program(statement):
    return isinstance(statement, ast.Assert) or (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute))

def _is_number(kind):
    return kind in ("int", "count", "displacement", "aint", "offset", "logical")
