"""What a profile must say of its messages in sum, added up from peers.csv."""

from collections import defaultdict

from summary import ALL, read_rows

CLASSES = ("p2p", "rma", "internal", "network")


def totals(rows, *columns):
    """Messages and bytes of the rows, by what these columns hold."""
    sums = defaultdict(lambda: (0, 0))
    for row in rows:
        key = tuple(row[column] for column in columns)
        sums[key] = (sums[key][0] + int(row["messages"]), sums[key][1] + int(row["bytes"]))
    return dict(sums)


def check_totals(test, run, profile):
    """What run.json says of all messages, in a profile with the rows of all ranks."""
    rows = read_rows(profile / "peers.csv")
    by_class = totals(rows, "class")
    for one in CLASSES:
        number, size = by_class.get((one,), (0, 0))
        test.assertEqual(run["messages"][one], {"messages": number, "bytes": size}, one)
    to_self = [row for row in rows if row["class"] != "network" and row["src"] == row["dst"]]
    number, size = totals(to_self).get((), (0, 0))
    test.assertEqual(run["messages"]["to_self"], {"messages": number, "bytes": size})
    if "busiest" not in run["messages"]:
        test.assertIn("rma", {row["class"] for row in rows})
        return
    # What the transport was given repeats the other classes.
    messages = [row for row in rows if row["class"] != "network"]
    sizes = {tuple(map(int, ends)): size for ends, (_, size) in totals(messages, "src", "dst").items() if ends[0] != ends[1]}
    most = max(sizes.values(), default=0)
    busiest = run["messages"]["busiest"]
    if most == 0:
        test.assertIsNone(busiest)
        return
    first = min((ends for ends, size in sizes.items() if size == most), key=lambda ends: (ends[0], ends[1] % 2**32))
    test.assertEqual((busiest["src"], busiest["dst"], busiest["bytes"]), (*first, most))
    test.assertEqual(busiest["others"], sum(100 * (most - size) <= most for size in sizes.values()) - 1)


def by_host(profile):
    """The rows of host_pairs.csv that the rows of all ranks add up to."""
    host = {row["rank"]: row["host"] for row in read_rows(profile / "ranks.csv")}
    rows = [row | {"src_host": host.get(row["src"], ""), "dst_host": host.get(row["dst"], "")} for row in read_rows(profile / "peers.csv")]
    return totals(rows, "class", "src_host", "dst_host")
