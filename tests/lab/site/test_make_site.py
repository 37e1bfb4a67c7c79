"""``make site``, the one command, from the report of a run: whole, small, without a broken link."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from lab.site import page_paths
from lab.site.broken import broken
from tests.conftest import unavailable

from .conftest import CHOSEN

LARGEST = 4_000_000
"""Bytes of a site of so few vectors: mostly chapters, which every site has."""
SECONDS = 300


@pytest.fixture(scope="module")
def made(report: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("make") is None:
        unavailable("make not found")
    folder = tmp_path_factory.mktemp("make")
    (folder / "report.json").write_text(json.dumps(report))
    words = ["make", "-s", "-o", ".venv/ready", "site", f"REPORT={folder}/report.json"]
    done = subprocess.run(
        [*words, f"SITE={folder}/site"], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{folder}/site/index.html: " in done.stdout
    return folder / "site"


def test_every_link_of_it_leads_somewhere(made: Path) -> None:
    assert broken(made) == []


def test_it_has_what_every_site_has(made: Path) -> None:
    pages = {path.relative_to(made).as_posix() for path in made.rglob("*.html")}
    assert {page_paths.vector(id) for id in CHOSEN} <= pages
    assert {page_paths.HOME, page_paths.CONVENTIONS} <= pages


def test_every_page_of_it_has_a_title_of_its_own(made: Path) -> None:
    titles: dict[str, str] = {}
    for path in sorted(made.rglob("*.html")):
        text = path.read_text("utf-8")
        result = re.findall(r"<title>([^<]+) · Walproof</title>", text)
        assert len(result) == 1 and result[0].strip(), path
        assert titles.setdefault(result[0], path.name) == path.name, (path, titles[result[0]])


def test_it_is_small(made: Path) -> None:
    sizes = {path: path.stat().st_size for path in made.rglob("*") if path.is_file()}
    assert all(sizes.values()), [path for path, size in sizes.items() if not size]
    assert 100_000 < sum(sizes.values()) < LARGEST
