#!/usr/bin/env python3
"""Computes what the queries of DatasetTests must find, with Python's standard library only.

    python3 Tests/Datasets/expected.py            writes expected.json
    python3 Tests/Datasets/expected.py --check    fails if expected.json is out of date

The same queries, under the same names, are written in Swift in Tests/HearthTests/Datasets.
"""

import hashlib
import json
import math
import pathlib
import sys

sys.dont_write_bytecode = True

from judge import (  # noqa: E402
    NAME, Point, Query, Time, aggregate, check_arrays, read_lines, read_zip_codes,
)

OUTPUT = pathlib.Path(__file__).resolve().parent / "expected.json"

ASC, DESC = 1, -1

MOST_IDS = 40
"""Longer results are written as a count, a hash and their ends."""


def cities(where=None, **rest):
    return Query("cities", where, **rest)


def quakes(where=None, **rest):
    return Query("quakes", where, **rest)


def zipcodes(where=None, **rest):
    return Query("zipcodes", where, **rest)


def both(*parts):
    return ("and", *parts)


def either(*parts):
    return ("or", *parts)


# Queries whose index entries can be counted: one scan a disjunction, nothing to filter afterwards.
SERVED = {
    # Equality, ranges, ties.
    "french cities": cities(("==", "country", "FR")),
    "cities above ten million": cities((">", "population", 10_000_000)),
    "cities between one and two million, largest first": cities(
        both((">=", "population", 1_000_000), ("<", "population", 2_000_000)),
        order=[("population", DESC)]),
    "the twenty largest cities": cities(order=[("population", DESC)], limit=20),
    "the thirty smallest cities, many of them equal": cities(
        order=[("population", ASC)], limit=30),
    "the smallest cities, backwards among equals": cities(
        ("<=", "population", 100_000), order=[("population", DESC)]),
    "cities of exactly 200000": cities(("==", "population", 200_000)),
    "cities of exactly 200000.0, asked with a double": cities(("==", "population", 200_000.0)),
    # Lists, negations, disjunctions.
    "Nordic cities": cities(("in", "country", ["DK", "FI", "IS", "NO", "SE", "FO"])),
    "cities outside the ten largest countries": cities(
        ("not-in", "country", ["CN", "IN", "BR", "US", "JP", "RU", "ID", "PH", "MX", "VN"])),
    "cities not on Shanghai's time": cities(("!=", "timezone", "Asia/Shanghai")),
    "cities with any of five names": cities(
        ("array-contains-any", "alternateNames",
         ["Roma", "München", "東京", "São Paulo", "القاهرة"])),
    "cities called Victoria": cities(("array-contains", "alternateNames", "Victoria")),
    "a city with a Gothic name, beyond the first plane": cities(
        ("array-contains", "alternateNames", "𐌹𐌰𐌹𐍂𐌿𐍃𐌰𐌿𐌻𐍅𐌼𐌰")),
    "a city in Korean": cities(("array-contains", "alternateNames", "발렌시아")),
    # Orders with an equality.
    "the largest cities of Brazil": cities(
        ("==", "country", "BR"), order=[("population", DESC)], limit=30),
    "the second page of the largest cities of China": cities(
        ("==", "country", "CN"), order=[("population", DESC)], limit=25, start=("after", "1795565"),
        document_cursor=True),
    "cities of India by name": cities(("==", "country", "IN"), order=[("name", ASC)]),
    # Strings in UTF-8 order.
    "all cities by name": cities(order=[("name", ASC)]),
    "the last names in UTF-8": cities(order=[("name", DESC)], limit=40),
    "names after Z": cities((">=", "name", "Z{"), order=[("name", ASC)]),
    "names that begin with São": cities(
        both((">=", "name", "São"), ("<", "name", "São\uffff"))),
    "ten names after San Juan": cities(
        order=[("name", ASC)], limit=10, start=("after", ["San Juan"])),
    "names from San Juan on, with both cursors": cities(
        order=[("name", ASC)], start=("at", ["San Juan"]), end=("at", ["San Luis"])),
    "names before Aba": cities(order=[("name", ASC)], end=("before", ["Aba"])),
    # The end of an order.
    "the last twelve of the order by population": cities(
        order=[("population", ASC)], limit=12, to_last=True),
    "the last five before ten million": cities(
        order=[("population", ASC)], limit=5, to_last=True, end=("before", [10_000_000])),
    # Points.
    "the southernmost cities": cities(order=[("location", ASC)], limit=25),
    "the northernmost cities": cities(order=[("location", DESC)], limit=25),
    "cities from 60 degrees north": cities((">=", "location", Point(60.0, -180.0))),
    # Whole arrays.
    "cities by all their names": cities(order=[("alternateNames", ASC)]),
    "cities without other names": cities(("==", "alternateNames", [])),
    # Names of documents.
    "ids from 52 to 53": cities(both((">=", NAME, "52"), ("<", NAME, "53"))),
    # Quakes: integers and doubles in one field.
    "magnitudes from 2 to 3, ends included": quakes(both((">=", "mag", 2), ("<=", "mag", 3))),
    "magnitudes of 1, stored as integers": quakes(("==", "mag", 1.0)),
    "magnitudes 0.8, 1, 2 and 2.5": quakes(("in", "mag", [0.8, 1, 2.0, 2.5])),
    "negative magnitudes": quakes(("<", "mag", 0)),
    "the strongest quakes": quakes(order=[("mag", DESC)], limit=25),
    "depths at a whole kilometre": quakes(("in", "depthKm", [0, 1, 5, 10])),
    # Nulls.
    "quakes that nobody reported": quakes(("==", "felt", None)),
    "quakes that somebody reported": quakes(("!=", "felt", None)),
    "quakes with an alert": quakes(("!=", "alert", None)),
    "reports in order, nulls first": quakes(order=[("felt", ASC)], limit=1590),
    "reports in order, most first, nulls at the end": quakes(
        order=[("felt", DESC)], limit=140),
    "few stations: numbers only": quakes(("<=", "nst", 5)),
    "intensities that are not 1": quakes(("!=", "cdi", 1)),
    "stations not in a list, nulls left out": quakes(("not-in", "nst", [5, 10, 15, 20])),
    "a list with a null excludes everything": quakes(("not-in", "nst", [5, None])),
    "a list with a null among its values": quakes(("in", "felt", [1, None, 2])),
    "reports from a cursor at null": quakes(
        order=[("felt", ASC)], start=("after", [None])),
    # Times.
    "quakes of one day, newest first": quakes(
        both((">=", "time", Time(1517616000_000000)), ("<", "time", Time(1517702400_000000))),
        order=[("time", DESC)]),
    "the moment of one quake": quakes(("==", "time", Time(1517966773840_000))),
    "twenty quakes after a moment": quakes(
        order=[("time", ASC)], limit=20, start=("after", [Time(1517616000_000000)])),
    # Arrays of few values.
    "quakes with a moment tensor": quakes(("array-contains", "types", "moment-tensor")),
    "quakes known to rare sources": quakes(
        ("array-contains-any", "sources", ["at", "nm", "se"])),
    "the strongest of one network, from the end": quakes(
        ("==", "net", "us"), order=[("mag", ASC)], limit=10, to_last=True),
    # Offsets.
    "the strongest quakes but three": quakes(order=[("mag", DESC)], limit=10, offset=3),
    "one network, the second ten": quakes(("==", "net", "hv"), limit=10, offset=10),
    "an offset beyond the end": quakes(("==", "net", "mb"), limit=10, offset=1000),
    "an offset without a limit": quakes(("==", "net", "uu"), offset=30),
    "an offset from the end": quakes(order=[("sig", ASC)], limit=7, to_last=True, offset=5),
    # ZIP codes.
    "ZIP codes with leading zeros": zipcodes(
        both((">=", NAME, "00501"), ("<=", NAME, "02999"))),
    "Texan ZIP codes from Dallas to Houston, backwards": zipcodes(
        ("==", "state", "TX"), order=[("city", DESC)], start=("at", ["Houston"]),
        end=("at", ["Dallas"])),
    "Texan ZIP codes by county and city": zipcodes(
        ("==", "state", "TX"), order=[("county", ASC), ("city", DESC)]),
    "Alaskan ZIP codes by county, cities falling, from two values": zipcodes(
        ("==", "state", "AK"), order=[("county", ASC), ("city", DESC)],
        start=("after", ["Nome", "Shishmaref"]), limit=30),
    "counties from W in New York": zipcodes(both((">=", "county", "W"), ("==", "state", "NY"))),
    "ZIP codes outside New York and Texas": zipcodes(("not-in", "state", ["NY", "TX"])),
    "the ZIP codes of two small states by city": zipcodes(
        ("in", "state", ["RI", "HI"]), order=[("city", ASC)]),
}

# Queries that merge indexes or filter entries; only their results are compared.
OTHERS = {
    "two equalities": cities(both(("==", "country", "US"), ("==", "timezone", "America/Chicago"))),
    "three equalities": cities(both(
        ("==", "country", "US"), ("==", "admin1", "TX"), ("==", "timezone", "America/Denver"))),
    "an array element and an equality": cities(both(
        ("array-contains", "alternateNames", "Victoria"), ("==", "country", "MX"))),
    "Iceland, or very large": cities(either(
        ("==", "country", "IS"), (">", "population", 15_000_000))),
    "ranges on two fields": cities(both((">=", "population", 5_000_000), (">=", "name", "M"))),
    "ranges on two fields, one ordered": cities(
        both((">", "population", 3_000_000), ("<", "name", "D")), order=[("population", DESC)]),
    "the largest cities of three countries": cities(
        ("in", "country", ["NL", "BE", "CH"]), order=[("population", DESC)], limit=25),
    "a not-in beside an equality": cities(both(
        ("==", "country", "US"),
        ("not-in", "timezone", ["America/New_York", "America/Chicago", "America/Los_Angeles"]))),
    "four ids, one of them of nobody": cities(("in", NAME, ["32767", "5128581", "nobody", "32900"])),
    "deep and strong": quakes(both((">", "mag", 4), (">", "depthKm", 50))),
    "three ranges": quakes(both((">", "mag", 4), (">", "depthKm", 20), (">", "sig", 300))),
    "strong quakes, newest first": quakes((">=", "mag", 4.5), order=[("time", DESC)]),
    "an or of ands": quakes(either(
        both(("==", "net", "hv"), ("==", "status", "automatic")),
        both(("==", "net", "uu"), ("==", "type", "explosion")))),
    "an or over different fields with one order": quakes(
        either(("==", "alert", "green"), ("==", "net", "at"), ("==", "magType", "mww")),
        order=[("mag", DESC)], limit=15),
    "an in and an array-contains-any": quakes(both(
        ("in", "net", ["us", "nn"]),
        ("array-contains-any", "types", ["moment-tensor", "shakemap"]))),
    "an array element in one network": quakes(both(
        ("array-contains", "types", "focal-mechanism"), ("==", "net", "nc"))),
    "one county of one state": zipcodes(both(("==", "state", "TX"), ("==", "county", "Dallas"))),
    "Springfield in some states": zipcodes(both(
        ("==", "city", "Springfield"), ("in", "state", ["VT", "MA", "IL", "MO"]))),
}

COUNT = ("count",)


def total(path):
    return ("sum", path)


def mean(path):
    return ("average", path)


AGGREGATES = {
    "all cities": (cities(), [COUNT, total("population"), mean("population")]),
    "people in German cities": (cities(("==", "country", "DE")), [total("population")]),
    "people in the ten largest cities": (
        cities(order=[("population", DESC)], limit=10), [COUNT, total("population")]),
    "cities of Asia/Kolkata": (cities(("==", "timezone", "Asia/Kolkata")), [COUNT]),
    "texts have no sum": (cities(("==", "country", "IS")), [COUNT, total("name"), mean("name")]),
    "magnitudes, whole and broken": (quakes(), [total("mag"), mean("mag")]),
    "whole numbers stay whole": (quakes(), [total("sig"), mean("tsunami")]),
    "nulls count but do not add": (quakes(), [COUNT, total("felt"), mean("felt")]),
    "only quakes with all fields": (
        quakes((">=", "mag", 4)), [COUNT, mean("depthKm"), total("nst")]),
    "an average of nothing": (quakes(("==", "net", "nobody")), [COUNT, total("mag"), mean("mag")]),
    "a field of nobody": (quakes(), [COUNT, total("nope")]),
    "reports of two networks": (quakes(("in", "net", ["us", "ci"])), [COUNT, total("felt")]),
    "ZIP codes of Texas": (zipcodes(("==", "state", "TX")), [COUNT]),
}


def result(query, documents, counts_entries):
    ids = [name for name, _ in query.run(documents)]
    found = {"count": len(ids)}
    if len(ids) <= MOST_IDS:
        found["ids"] = ids
    else:
        found["sha256"] = hashlib.sha256("\n".join(ids).encode()).hexdigest()
        found["first"], found["last"] = ids[:5], ids[-5:]
    if counts_entries:
        found["entries"] = query.entries(documents)
        # What an offset skips is read as well.
        matches = len(query.rows(documents, query.where))
        limit = math.inf if query.limit is None else query.offset + query.limit
        found["documents"] = min(matches, limit)
    return found


def number(value):
    """Tells the kinds of numbers apart, which JSON readers may not."""
    if value is None:
        return {"null": True}
    return {"double": value} if isinstance(value, float) else {"integer": value}


def main():
    sets = {
        "cities": read_lines("geonames-cities.ndjson"),
        "quakes": read_lines("usgs-earthquakes.ndjson", milliseconds=("time", "updated")),
        "zipcodes": read_zip_codes("us-zipcodes.csv"),
    }
    check_arrays(sets["cities"], "alternateNames")
    output = {
        "documents": {name: len(documents) for name, documents in sets.items()},
        "queries": {},
        "aggregates": {},
    }
    for queries, counted in [(SERVED, True), (OTHERS, False)]:
        for name, query in queries.items():
            assert name not in output["queries"], name
            output["queries"][name] = result(query, sets[query.collection], counted)
    for name, (query, aggregations) in AGGREGATES.items():
        documents = query.run(sets[query.collection])
        output["aggregates"][name] = [number(x) for x in aggregate(documents, aggregations)]
    text = json.dumps(output, indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit("expected.json is out of date; run expected.py and look at the difference")
        return
    OUTPUT.write_text(text, encoding="utf-8")
    empty = [n for n, r in output["queries"].items() if r["count"] == 0]
    print(f"{len(output['queries'])} queries, {len(output['aggregates'])} aggregates; "
          f"empty results: {empty}")


if __name__ == "__main__":
    main()
