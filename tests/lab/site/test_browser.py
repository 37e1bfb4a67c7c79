"""In a browser, the policy blocks nothing and no script fails."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.site import page_paths

from .conftest import Site

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--enable-logging=stderr",
    "--virtual-time-budget=2000",
    "--dump-dom",
]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH")


def drawn(site: Path, place: str, profile: Path) -> tuple[str, list[str]]:
    """Return a page after its scripts have run, and the console messages of the scripts."""
    address = (site / "index.html").as_uri().removesuffix("index.html") + place
    command = [CHROMIUM or "", *FLAGS, f"--user-data-dir={profile}", address]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@needs_browser
def test_a_list_of_vectors_can_be_narrowed(site: Site, tmp_path: Path) -> None:
    copy = tmp_path / "site"  # has a script that types like a user
    shutil.copytree(site.out, copy)
    with (copy / "assets" / "site.js").open("a") as script:
        script.write(
            'const form = document.getElementById("filter");'
            'form.elements.who.value = "goleveldb";'
            'form.dispatchEvent(new Event("input"));'
        )
    page, message = drawn(copy, page_paths.format_page("leveldb-log"), tmp_path / "profile")
    assert message == []
    assert '<p id="filtered" role="status">1 vector</p>' in page
