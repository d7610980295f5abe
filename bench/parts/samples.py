"""Medians, and how far to trust them."""
import math
import statistics

from statistics import median

from parts.launch import Disturbed


def median_and_error(values):
    """The median and half of its 95 % confidence interval, as in the notches of a box plot."""
    values = list(values)
    if len(values) < 4:
        return median(values), float("inf")
    lower, _, upper = statistics.quantiles(values, n=4)
    return median(values), 1.57 * (upper - lower) / len(values) ** 0.5


def undisturbed(*series):
    """Of each series, the values that were measured on a processor to themselves; all, if those of any are too few."""
    quiet = [[value for value in values if not isinstance(value, Disturbed)] for values in series]
    return quiet if all(len(values) >= 4 for values in quiet) else series


def difference_and_error(values, others):
    """Of the medians of what was undisturbed."""
    (median_of_values, error), (median_of_others, other_error) = map(median_and_error, undisturbed(values, others))
    return median_of_values - median_of_others, math.hypot(error, other_error)


def number(value, digits):
    return f"{value:.{digits}f}" if math.isfinite(value) else "?"


def verdict(value, bound, error=0.0):
    """close: the bound lies within the error of the measurement."""
    return "close" if abs(value - bound) < error else "ok" if value <= bound else "over"


class Samples:
    """The values of one kind of run, by variant: values[variant][round][name]."""

    def __init__(self):
        self.values = {}

    def add(self, variant, values):
        self.values.setdefault(variant, []).append(values)

    def names(self):
        return self.values["without"][0].keys()

    def of(self, variant, name):
        return [values[name] for values in self.values[variant]]

    def added(self, name, variant="with"):
        """What each round's run with the library took more than its run without."""
        return [a - b for a, b in zip(self.of(variant, name), self.of("without", name))]


def interleaved(rounds, kinds):
    """Runs each variant of each kind once a round, in an order that changes from round to round.

    kinds: {kind: {variant: function that returns {name: value}}}
    """
    samples = {kind: Samples() for kind in kinds}
    for number in range(rounds):
        for kind, variants in kinds.items():
            names = list(variants)
            for i in range(len(names)):
                variant = names[(i + number) % len(names)]
                samples[kind].add(variant, variants[variant]())
    return samples
