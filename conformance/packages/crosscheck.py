"""``python -m conformance.packages.crosscheck``: do the runners of all languages judge alike?

Readers that are tables (:mod:`.tables`) are asked by ``walproof check`` and by the runner of each
package. Every result must be the same: its class and, of a read, the digest of what was said. The
runners get what the harness found as their list of known failures, so that their own test command
fails where one of them is stricter or more lenient. With ``--update`` each is run once more, to
write these lists: what is missing has to come, and what is too much has to go.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import cases_of
from conformance.compare import every_part
from conformance.known_failures import KnownFailures, load
from conformance.packages.build import contents, package
from conformance.packages.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.packages.tables import table
from conformance.runner import run_subjects
from conformance.saving import save
from conformance.subject import Subject
from conformance.vectors import Vector, load_all
from reference_impl.register import registers

READER = Path(__file__).with_name("table_reader.py")
READS = ("recover", "strict")
PIN = re.compile(r"\[[0-9a-f]{8}\]$")
WRITERS = ("recover", "strict", "write", "append")
RUNNERS = tuple(one.id for one in ECOSYSTEMS.values() if one.runs)
"""The packages that have a runner."""

Results = dict[tuple[str, str], Mapping[str, Any]]
"""Results by vector and profile."""


@dataclass(frozen=True)
class Disagreement:
    """A case that a runner judges otherwise than the harness does."""

    table: str
    vector: str
    profile: str
    harness: str
    runner: str

    def __str__(self) -> str:
        return (
            f"{self.table}: {self.vector} {self.profile}:"
            f" walproof check says {self.harness}; the runner says {self.runner}"
        )


def tables_of(vectors: Sequence[Vector]) -> list[dict[str, Any]]:
    """What is asked: one that is right, and wrong ones that report more and less."""
    every = [*every_part(registers()), "signals"]
    return [
        table("right", every, WRITERS, vectors, wrong=0),
        table("wrong", every, WRITERS, vectors, wrong=4),
        table("wrong-records", ["records", "signals"], ("recover", "strict"), vectors, wrong=2),
        table("wrong-bytes", ["records", "at", "verdict", "lost"], ("recover",), vectors, wrong=2),
    ]


def ask_harness(tables: Iterable[dict[str, Any]], vectors: Sequence[Vector], folder: Path) -> None:
    """Write each table, what the harness makes of it, and that as a list of known failures."""
    for made in tables:
        path = folder / f"{made['name']}.json"
        save(path, json.dumps(made))
        listed = KnownFailures(folder / f"{made['name']}.known")
        command = [sys.executable, str(READER), str(path)]
        subject = Subject(made["name"], made["name"], command, isolated=False)
        of = [vector for vector in vectors if vector.body["format"] in made["formats"]]
        (run,) = run_subjects([subject], lambda _: cases_of(of, made["profiles"]))  # noqa: B023
        if run.status != "ran":
            raise RuntimeError(f"{made['name']}: {run.because}")
        kept = ("vector", "profile", "class", "difference")
        results = [{name: result[name] for name in kept} for result in run.results]
        save(folder / f"{made['name']}.harness", json.dumps(results))
        listed.updated(run.results, "table", "The table says so.").save()


def harness_results(folder: Path, name: str) -> Results:
    """What the harness made of a table."""
    found = json.loads((folder / f"{name}.harness").read_text("utf-8"))
    return {(one["vector"], one["profile"]): one for one in found}


def runner_results(file: Path) -> Results:
    """The results that a runner has kept, a line of JSON each."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    found = [json.loads(line) for line in lines]
    return {(one["vector"], one["profile"]): {**one, "class": one["result"]} for one in found}


def disagreements(name: str, harness: Results, runner: Results) -> list[Disagreement]:
    """Where they differ. What only the harness can judge, a runner has to skip."""
    wrong = []
    for vector, profile in sorted(harness.keys() | runner.keys()):
        one, other = harness.get((vector, profile), {}), runner.get((vector, profile), {})
        if not _same(one, other):
            texts = (f"{said.get('class')} {said.get('difference')}" for said in (one, other))
            wrong.append(Disagreement(name, vector, profile, *texts))
    return wrong


def _same(harness: Mapping[str, Any], runner: Mapping[str, Any]) -> bool:
    if runner.get("class") == "skipped" and FREE in str(runner["difference"]):
        return harness.get("class") in ("pass", "fail") and harness["profile"] == "append"
    if harness.get("class") != runner.get("class"):
        return False
    texts = [str(said.get("difference")) for said in (harness, runner)]
    if harness["class"] != "fail" or harness["profile"] not in ("recover", "strict"):
        return True
    if texts[0].startswith("prefix of "):  # a digest of all requests of the case
        return True
    pins = [PIN.findall(text) for text in texts]
    return pins[0] == pins[1]


FREE = "only walproof check reads what it left"
"""What a runner says of an append after which not every byte is determined."""


def ask_runner(
    ecosystem: Ecosystem, built: Path, folder: Path, updates: bool = False
) -> subprocess.CompletedProcess[str]:
    """The tests of a package, with the tables among them; the tables alone to update lists."""
    test = ecosystem.tables if updates else ecosystem.test
    words = [*test, *(["-o"] if test[0] == "mvn" else [])]
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    environment |= {"CARGO_NET_OFFLINE": "true", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    environment["WALPROOF_TABLES"] = str(folder)
    if updates:
        environment["WALPROOF_UPDATE_KNOWN"] = "1"
    return subprocess.run(
        words, cwd=built, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=1800, check=False,
    )  # fmt: skip


def update_lists(
    ecosystem: Ecosystem, built: Path, folder: Path, asked: Sequence[str]
) -> list[str]:
    """What is wrong with the lists that a runner writes, beginning with those of other tables."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="walproof-update-") as name:
        lists = Path(name)
        for table, other in zip(asked, [*asked[1:], asked[0]], strict=True):
            shutil.copy(folder / f"{table}.json", lists)
            if (folder / f"{other}.known").exists():
                shutil.copy(folder / f"{other}.known", lists / f"{table}.known")
        done = ask_runner(ecosystem, built, lists, updates=True)
        if done.returncode:
            return [f"{ecosystem.id}, updating: {(done.stdout + done.stderr)[-3000:]}"]
        for table in asked:
            results = runner_results(lists / f"{table}.{ecosystem.id}")
            if not results:
                wrong.append(f"{ecosystem.id}, updating: {table}: nothing was asked")
            found = load(lists / f"{table}.known").entries
            owed = load(folder / f"{table}.known").entries
            for key in sorted(set(found) | set(owed)):
                # What was not asked, or only the harness can tell, stays as it was on the list.
                if results.get(key, {}).get("class") in (None, "skipped"):
                    continue
                one, two = (
                    (entry.result, [] if key[1] not in READS else PIN.findall(entry.difference))
                    if (entry := entries.get(key))
                    else None
                    for entries in (found, owed)
                )
                prefixes = key in owed and owed[key].difference.startswith("prefix of ")
                if one != two and not (prefixes and one and two and one[0] == two[0]):
                    wrong.append(f"{ecosystem.id}, updating: {table}: {key}: {one}, owed {two}")
    return wrong


def main(arguments: list[str]) -> int:
    """Compare the runners that are asked for; 3 where one of them judges otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=RUNNERS)
    parser.add_argument("--update", action="store_true", help="let them write lists, too")
    parser.add_argument("--format", action="append", choices=list(registers()))
    parser.add_argument("--every", type=int, default=1, help="ask each so many-th vector")
    parser.add_argument(
        "--folder", type=Path, help="where tables and results stay; what the harness found is kept"
    )
    chosen = parser.parse_args(arguments)
    # Tables of megabytes, which a build without optimisation does not get through in time.
    os.environ.setdefault("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
    vectors = [
        vector
        for vector in load_all().values()
        if not chosen.format or vector.body["format"] in chosen.format
    ][:: chosen.every]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="walproof-crosscheck-") as name:
        folder = chosen.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not list(folder.glob("*.harness")):
            ask_harness(tables_of(vectors), vectors, folder)
        asked = sorted(path.stem for path in folder.glob("*.harness"))
        for table in asked:
            _say("walproof check", table, harness_results(folder, table))
        files = contents()
        for ecosystem in (ECOSYSTEMS[one] for one in chosen.only or RUNNERS):
            if not ecosystem.is_here():
                print(f"{ecosystem.id}  not asked: {ecosystem.test[0]} is not here")
                continue
            for table in asked:
                (folder / f"{table}.{ecosystem.id}").unlink(missing_ok=True)
            package(ecosystem, files, Path(name) / ecosystem.id)
            done = ask_runner(ecosystem, Path(name) / ecosystem.id, folder)
            if done.returncode:
                wrong.append(f"{ecosystem.id}: {(done.stdout + done.stderr)[-3000:]}")
            for table in asked:
                results = runner_results(folder / f"{table}.{ecosystem.id}")
                differ = disagreements(table, harness_results(folder, table), results)
                wrong += [f"{ecosystem.id}: {one}" for one in differ]
                _say(ecosystem.id, table, results, f"; {len(differ)} differ")
            if chosen.update:
                found = update_lists(ecosystem, Path(name) / ecosystem.id, folder, asked)
                wrong += found
                print(f"{ecosystem.id}  updated the lists: {len(found)} differ", flush=True)
    print(*wrong[:40], sep="\n")
    return 3 if wrong else 0


def _say(who: str, table: str, results: Results, more: str = "") -> None:
    classes = Counter(str(one["class"]) for one in results.values())
    counts = ", ".join(f"{count} {name}" for name, count in sorted(classes.items()))
    print(f"{who}  {table}: {len(results)} results: {counts}{more}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
