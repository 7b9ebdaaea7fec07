"""Answers queries over the data sets by brute force: no index, no plan, nothing of Hearth's.

A value is what the JSON or CSV reader gives, except times (`Time`) and points (`Point`). A document
is a pair of its id and a dictionary of its fields.
"""

import csv
import functools
import json
import math
import pathlib

DATA = pathlib.Path(__file__).resolve().parents[2] / "Benchmarks/HearthDatasets/Data"


class Time:
    """A time in microseconds since 1970."""

    def __init__(self, microseconds):
        self.microseconds = microseconds


class Point:
    """A place on the globe."""

    def __init__(self, latitude, longitude):
        self.latitude, self.longitude = latitude, longitude


NAME = "__name__"
"""The path of a document's name; operands for it are plain ids."""


# Reading the files


def read_lines(file, milliseconds=()):
    documents = {}
    with open(DATA / file, encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            key = fields.pop("id")
            place = fields["location"]
            fields["location"] = Point(place["latitude"], place["longitude"])
            for name in milliseconds:
                fields[name] = Time(fields[name] * 1000)
            documents[key] = fields
    return documents


def read_zip_codes(file):
    documents = {}
    with open(DATA / file, encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            documents[row["zip_code"]] = {
                "city": row["city"],
                "county": row["county"],
                "state": row["state"],
                "location": Point(float(row["latitude"]), float(row["longitude"])),
            }
    return documents


# The order of values


def rank(value):
    if value is None:
        return 1
    if isinstance(value, bool):
        return 2
    if isinstance(value, (int, float)):
        return 3
    if isinstance(value, Time):
        return 4
    if isinstance(value, str):
        return 5
    if isinstance(value, Point):
        return 8
    if isinstance(value, list):
        return 9
    raise TypeError(type(value))


def key(value):
    """Sorts as the database must: by type, then within it. Python compares integers and floats
    exactly, and tuples element by element, shorter first."""
    kind = rank(value)
    if value is None:
        return (kind,)
    if kind in (2, 3):
        return (kind, value)
    if isinstance(value, Time):
        return (kind, value.microseconds)
    if isinstance(value, str):
        return (kind, cut(value.encode()))
    if isinstance(value, Point):
        return (kind, value.latitude, value.longitude)
    return (kind, tuple(key(element) for element in value))


BUDGET = 1500
"""How many bytes of a value queries see."""


def cut(text):
    """Asserts that a text is seen whole; the data has none that is longer."""
    assert len(text) <= BUDGET
    return text


def check_arrays(documents, field):
    """Fails if two arrays agree in all that queries see of them: then where the budget cuts never
    decides an order, and `key` may look at the whole."""
    seen = {}
    for name, fields in documents.items():
        start = "\0".join(fields[field]).encode()[:BUDGET]
        if len(start) == BUDGET and start in seen:
            raise AssertionError(f"{name} and {seen[start]} agree in {field}")
        seen[start] = name


# Filters: ("==", path, value), ..., ("and", filter, ...), ("or", filter, ...)

INEQUALITIES = ("!=", "<", "<=", ">", ">=", "not-in")


def stored(document, path):
    """The value at a path and whether there is one; the data has no maps."""
    name, fields = document
    if path == NAME:
        return name, True
    return fields.get(path), path in fields


def equal(x, operand):
    return operand is not None and key(x) == key(operand)


def holds(test, document):
    op = test[0]
    if op == "and":
        return all(holds(part, document) for part in test[1:])
    if op == "or":
        return any(holds(part, document) for part in test[1:])
    x, exists = stored(document, test[1])
    operand = test[2]
    if not exists:
        return False
    if op == "==":
        return x is None if operand is None else equal(x, operand)
    if op == "!=":
        return x is not None and (operand is None or not equal(x, operand))
    if op == "in":
        return any(equal(x, member) for member in operand)
    if op == "not-in":
        if x is None or any(member is None for member in operand):
            return False
        return not any(equal(x, member) for member in operand)
    if op == "array-contains":
        return isinstance(x, list) and any(equal(element, operand) for element in x)
    if op == "array-contains-any":
        return any(holds(("array-contains", test[1], member), document) for member in operand)
    if x is None or operand is None or rank(x) != rank(operand):
        return False
    a, b = key(x), key(operand)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def disjunctions(test):
    """The filter multiplied out into lists of plain tests."""
    if test is None:
        return [[]]
    if test[0] == "or":
        return [branch for part in test[1:] for branch in disjunctions(part)]
    if test[0] == "and":
        branches = [[]]
        for part in test[1:]:
            branches = [a + b for a in branches for b in disjunctions(part)]
        return branches
    if test[0] == "in":
        # A null in a list matches nothing, unlike one that is asked for by itself.
        return [[("==", test[1], member)] for member in test[2] if member is not None]
    if test[0] == "array-contains-any":
        return [[("array-contains", test[1], member)] for member in test[2]]
    return [[test]]


def inequality_fields(test):
    if test is None:
        return set()
    if test[0] in ("and", "or"):
        return set().union(*(inequality_fields(part) for part in test[1:]))
    return {test[1]} if test[0] in INEQUALITIES else set()


# Queries


class Query:
    """One query. `order` holds pairs of path and direction (1 or -1); a cursor holds how it counts
    ("at", "after", "before") and either values or the id of a document.
    """

    def __init__(
        self, collection, where=None, order=(), limit=None, to_last=False, offset=0, start=None,
        end=None, document_cursor=False,
    ):
        self.collection, self.where, self.limit = collection, where, limit
        self.to_last, self.offset, self.start, self.end = to_last, offset, start, end
        self.document_cursor = document_cursor
        self.order = list(order)
        direction = self.order[-1][1] if self.order else 1
        ordered = {path for path, _ in self.order}
        for path in sorted(inequality_fields(where) - ordered - {NAME}):
            self.order.append((path, direction))
        if NAME not in ordered:
            self.order.append((NAME, direction))

    def compare(self, xs, ys):
        for (_, direction), x, y in zip(self.order, xs, ys):
            a, b = key(x), key(y)
            if a != b:
                return direction if a > b else -direction
        return 0

    def row(self, document):
        """What the document sorts by; None if an order field is missing."""
        found = [stored(document, path) for path, _ in self.order]
        return [x for x, _ in found] if all(exists for _, exists in found) else None

    def inside(self, row, documents):
        for cursor, sign in ((self.start, 1), (self.end, -1)):
            if cursor is None:
                continue
            how, given = cursor
            if self.document_cursor:
                given = self.row((given, documents[given]))
            place = self.compare(row, given) * sign
            if place < 0 or place == 0 and how != "at":
                return False
        return True

    def rows(self, documents, where):
        """Documents that match, between the cursors, in order: pairs of row and document."""
        found = []
        for document in documents.items():
            if where is not None and not holds(where, document):
                continue
            row = self.row(document)
            if row is not None and self.inside(row, documents):
                found.append((row, document))
        found.sort(key=functools.cmp_to_key(lambda a, b: self.compare(a[0], b[0])))
        return found

    def run(self, documents):
        """The documents of the result, in order."""
        found = [document for _, document in self.rows(documents, self.where)]
        if self.limit is None:
            return found[self.offset:]
        if self.to_last:
            end = len(found) - self.offset
            return found[max(0, end - self.limit):max(0, end)]
        return found[self.offset:self.offset + self.limit]

    def entries(self, documents):
        """How many index entries a query reads that its indexes serve whole: those of its result,
        and one more where a limit stops it."""
        branches = [len(self.rows(documents, ("and", *branch)))
                    for branch in disjunctions(self.where)]
        if self.limit is None:
            return sum(branches)
        assert len(branches) == 1, "with a limit, merged scans stop at different places"
        return min(branches[0], self.offset + self.limit + 1)


# Aggregates


def aggregate(documents, aggregations):
    """The results of ("count",), ("sum", path), ("average", path) over the documents of a query.
    Only documents that have every path take part."""
    paths = [aggregation[1] for aggregation in aggregations if len(aggregation) > 1]
    documents = [d for d in documents if all(stored(d, path)[1] for path in paths)]
    results = []
    for kind, *path in aggregations:
        if kind == "count":
            results.append(len(documents))
            continue
        numbers = [stored(d, path[0])[0] for d in documents]
        numbers = [x for x in numbers if isinstance(x, (int, float))]
        total = sum(numbers) if all(isinstance(x, int) for x in numbers) else math.fsum(numbers)
        if kind == "sum":
            results.append(total)
        else:
            results.append(total / len(numbers) if numbers else None)
    return results
