"""The numbers and names in README.md and the pages that it links agree with the tree."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import known_failures
from conformance.registry import FOLDER
from conformance.score import WRITING, score
from conformance.vector_cases import cases_of
from conformance.vectors import load_all
from reference_impl.formats import FORMATS
from walproof.cli import walproof

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "vectors" / "leveldb-log"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_each_format_has_its_row_with_the_number_of_its_vectors() -> None:
    rows = re.findall(r"^\| .* \| \[spec/([a-z-]+)\.md\]\(\S+\) \| (\d+) \|", README, re.MULTILINE)
    written = {format_id: int(count) for format_id, count in rows}
    there = {name: len(list((ROOT / "vectors" / name).glob("*.json"))) for name in FORMATS}
    assert written == there


def test_the_first_example_shows_the_output_of_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = README.split("## A damaged log\n", 1)[1].split("```", 2)[1]
    example = example.removeprefix("console\n").replace("\\\n", "")
    first, rest = example.split("\n", 1)
    second, shown = rest.split("\n", 1)
    (tmp_path / "vectors").symlink_to(ROOT / "vectors")
    monkeypatch.chdir(tmp_path)
    # The output must be as wide as in a pipe, whatever terminal runs the tests.
    monkeypatch.setenv("COLUMNS", "100")
    commands = [shlex.split(line.removeprefix("$ walproof ")) for line in (first, second)]
    CliRunner().invoke(walproof, commands[0])
    assert shown == CliRunner().invoke(walproof, commands[1]).stdout


def test_the_vector_and_the_recipe_are_those_of_the_tree() -> None:
    body = json.loads((LOGS / "first-then-full.json").read_text(encoding="utf-8"))
    example = re.search(r"^```json\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert example
    shown = json.loads(example[1].replace(", …", ""))
    shown["expect"]["records"] = body["expect"]["records"]
    assert shown == {key: body[key] for key in shown}
    vectors = README.split("## Vectors\n", 1)[1]
    recipe = re.search(r"^```text\n(.*?)^```", vectors, re.DOTALL | re.MULTILINE)
    assert recipe
    assert recipe[1] in (ROOT / "conformance/recipes/leveldb_log/fragments.py").read_text("utf-8")


def test_the_vector_of_the_manual_is_that_of_the_tree() -> None:
    page = (ROOT / "vectors" / "README.md").read_text(encoding="utf-8")
    body = json.loads((LOGS / "first-then-full.json").read_text(encoding="utf-8"))
    example = re.search(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert example
    shown = json.loads(example[1].replace("[ … ]", "null"))
    body["expect"] |= {"records": None, "lost": None}
    assert shown == {key: body[key] for key in shown}


def test_every_top_level_folder_is_explained() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listing = page.split("## What belongs where", 1)[1].split("\n## ", 1)[0]
    explained = {
        name.split("/")[0] for name in re.findall(r"^\| `(\S+)` \|", listing, re.MULTILINE)
    }
    tracked = subprocess.run(
        ["git", "ls-tree", "-d", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True
    )
    assert {name for name in tracked.stdout.split() if not name.startswith(".")} <= explained


def test_every_grammar_is_listed() -> None:
    page = (ROOT / "ksy" / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in (ROOT / "ksy").glob("*.ksy")} <= set(
        re.findall(r"`(\w+\.ksy)`", page)
    )


def test_the_changes_shown_to_contributors_can_be_made(tmp_path: Path) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    changes = re.findall(r"^```diff\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    # The remaining changes add a vector, a known failure and an adapter. test_made_up_format.py
    # tests the changed rule.
    changes = [change for change in changes if "my_log" not in change]
    assert len(changes) == 3
    for change in changes:
        for name in re.findall(r"^--- a/(.+)$", change, re.MULTILINE):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        apply = ["git", "apply", "-"]
        done = subprocess.run(apply, cwd=tmp_path, input=change, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        for name in re.findall(r"^\+\+\+ b/(.+)$", change, re.MULTILINE):
            before = (ROOT / name).read_text("utf-8") if (ROOT / name).exists() else ""
            assert (tmp_path / name).read_text("utf-8") != before


def test_each_format_has_the_files_that_a_new_format_needs() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.split("## A new format", 1)[1].split("\n## ", 1)[0]
    rows = [row for row in re.findall(r"^\| .* \|$", table, re.MULTILINE) if "optional" not in row]
    paths = {path for row in rows for path in re.findall(r"`([\w/]+/my[-_]log[\w./]*)`", row)}
    # A format may have several grammars with different names, so this path is optional.
    paths -= {"ksy/my_log.ksy"}
    assert len(paths) >= 8
    missing = [
        place
        for format_id in FORMATS
        for path in sorted(paths)
        for place in [
            path.replace("my-log", format_id).replace("my_log", format_id.replace("-", "_"))
        ]
        # In an existing format, a folder may replace the module.
        if not (ROOT / place).exists() and not (ROOT / place.removesuffix(".py")).is_dir()
    ]
    assert missing == []


def test_the_scores_on_the_page_agree_with_the_known_failures() -> None:
    """The scores can be computed, because every case passes that is not a known failure."""
    result = re.findall(r"^( +loses .*append)\n─+\n((?:.+\n)+?)```", README, re.MULTILINE)
    ((head, rows),) = result
    names = ("recover", "strict", "write", "append")
    ends = {name: head.index(name) + len(name) for name in names}
    of_format = {id: each for id, each in load_all().items() if id.startswith("leveldb-log/")}
    facts = {id: {**each.body, "control": each.control} for id, each in of_format.items()}
    shown = 0
    for row in rows.splitlines():
        listed = known_failures.load(FOLDER / row.split()[0] / "known-failures.json").entries
        results = [
            {
                "vector": case.vector.id,
                "profile": case.profile,
                "class": "known-failure" if (case.vector.id, case.profile) in listed else "pass",
            }
            for case in cases_of(list(of_format.values()))
        ]
        by_profile = score(results, facts)["by_profile"]
        for name, end in ends.items():
            if cell := re.search(r"\S+$", row[:end].ljust(end)):
                kind = "" if name in WRITING else "pairs_"
                counted = by_profile[name]
                expected = f"{counted[f'{kind}passed']}/{counted[f'{kind}total']}"
                assert cell[0] == expected, (row.split()[0], name)
                shown += 1
    assert shown >= 10
