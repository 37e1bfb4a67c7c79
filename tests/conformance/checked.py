"""Constants and functions that the tests of ``walproof check`` share."""

from __future__ import annotations

SMALL = ["--vector", "one-record", "--vector", "payload-flipped-in-second-record"]


def results(report, baseline=False):
    (entry,) = [each for each in report["implementations"] if each["baseline"] is baseline]
    return {result["vector"].split("/")[1]: result for result in entry["results"]}
