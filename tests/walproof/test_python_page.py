"""The examples in docs/python.md run, and print the output that the page shows."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import ROOT, VECTORS

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = [
    (match[1] or "", match[2], match[3])
    for match in re.finditer(
        r"^```python(?: title=(\S+))?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGE, re.M | re.S
    )
]
#: A reader with one fault, which the page lists as known. It reports a log of zeros as torn.
MY_READER = """
import walproof

def read(log, /, **context):
    answer = walproof.open(log, "leveldb-log", **context).answer().to_json()
    return {**answer, "verdict": "torn"} if log and not log.strip(b"\\0") else answer
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(VECTORS / "leveldb-log" / "first-then-full.log", tmp_path / "000003.log")
    (tmp_path / "my_reader.py").write_text(MY_READER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "code, shown", [(code, shown) for title, code, shown in EXAMPLES if not title]
)
def test_an_example(directory: Path, code: str, shown: str | None) -> None:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(f"import walproof\n{code}", "docs/python.md", "exec"), {})
    assert output.getvalue() and shown in (None, output.getvalue())


@pytest.mark.slow
@pytest.mark.parametrize("title, code", [(title, code) for title, code, _ in EXAMPLES if title])
def test_an_example_for_pytest(directory: Path, title: str, code: str) -> None:
    (directory / title).write_text(code)
    if title == "test_properties.py":
        (directory / "my_reader.py").write_text(MY_READER.replace('"torn"', '"intact"'))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", title],
        cwd=directory, env={"PYTHONPATH": f"{ROOT}:{directory}", "PATH": ""},
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert title != "test_my_reader.py" or " 4 xfailed" in done.stdout
    assert title != "test_my_reader.py" or len(code.splitlines()) <= 12


def test_the_page_is_short_and_shows_four_libraries() -> None:
    assert len(PAGE.split()) <= 1500
    for library in ("pyarrow", "duckdb", "polars", "pandas"):
        assert f"import {library}" in PAGE
