"""``python -m conformance.packages.demonstrate``: real implementations under the runners.

The example in the README of a package drives a real implementation. It is run with the list of
known failures that ``walproof check`` keeps of that implementation: strict both ways, so a test
command that passes says that the results are those of the matrix.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from conformance import ROOT
from conformance.packages.build import HERE, contents, package, render, said_of
from conformance.packages.crosscheck import PIN, Results, runner_results
from conformance.packages.demonstrations import DEMONSTRATIONS, Demonstration
from conformance.packages.ecosystems import ECOSYSTEMS

IMPLEMENTATIONS = ROOT / "conformance" / "implementations"
BUILT = ROOT / ".build" / "implementations"


def demonstrate(
    one: Demonstration, files: Mapping[str, bytes], folder: Path
) -> tuple[subprocess.CompletedProcess[str], Results]:
    """What the test command said, and each result."""
    ecosystem = ECOSYSTEMS[one.ecosystem]
    package(ecosystem, files, folder / "package")
    example = folder / "example"
    render(HERE / "demonstrations" / one.ecosystem, example, said_of(ecosystem, files))
    for name, source in one.copies.items():
        (example / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(IMPLEMENTATIONS / one.implementation / source, example / name)
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    environment |= {"CARGO_NET_OFFLINE": "true", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    environment |= {"WALPROOF_RESULTS": str(folder / "results")}
    build = str(BUILT / one.implementation)
    environment |= {name: text.format(build=build) for name, text in one.environment.items()}
    if one.path:
        folders = [found for name in one.path for found in _folders(one, name)]
        environment["PYTHONPATH"] = os.pathsep.join(folders)
    for command in (one.prepare, one.test):
        if command:
            words = [word.replace("{build}", build) for word in command]
            done = subprocess.run(
                words, cwd=example, env=environment, capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=1800, check=False,
            )  # fmt: skip
    return done, runner_results(folder / "results")


def _folders(one: Demonstration, name: str) -> list[str]:
    if "{build}" not in name:
        return [name]
    return [
        str(found) for found in (BUILT / one.implementation).glob(name.removeprefix("{build}/"))
    ]


def unlike_the_matrix(one: Demonstration, found: Results) -> list[str]:
    """Where the results are not those that ``walproof check`` has on record."""
    listed = IMPLEMENTATIONS / one.implementation / "known-failures.json"
    entries = json.loads(listed.read_text("utf-8"))["failures"]
    owed = {(entry["vector"], entry["profile"]): entry for entry in entries}
    wrong = [
        f"{key}: on record as {owed[key]['result']}, and was not asked"
        for key in owed.keys() - found.keys()
        if key[1] in one.profiles
    ]
    for key, result in found.items():
        record = owed.get(key, {"result": "pass", "difference": ""})
        if result["class"] not in (record["result"], "skipped"):
            wrong.append(f"{key}: on record as {record['result']}, and was {result['class']}")
        pins = [PIN.findall(str(said["difference"])) for said in (record, result)]
        if result["class"] == "fail" and key[1] in ("recover", "strict") and pins[0] != pins[1]:
            wrong.append(f"{key}: another answer than is on record")
    return wrong


def main(arguments: list[str]) -> int:
    """Run the examples that are asked for; 3 where one of them is unlike its matrix."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=list(DEMONSTRATIONS))
    chosen = parser.parse_args(arguments)
    files, failed = contents(), False
    for one in (DEMONSTRATIONS[name] for name in chosen.only or DEMONSTRATIONS):
        with tempfile.TemporaryDirectory(prefix="walproof-demonstration-") as folder:
            done, found = demonstrate(one, files, Path(folder))
        wrong = unlike_the_matrix(one, found)
        classes = Counter(result["class"] for result in found.values())
        counts = ", ".join(f"{count} {name}" for name, count in sorted(classes.items()))
        print(f"{one.ecosystem}  {one.implementation}: {counts}; {len(wrong)} unlike the matrix")
        if done.returncode or wrong or not found:
            failed = True
            print(*wrong[:20], (done.stdout + done.stderr)[-3000:], sep="\n")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
