"""One page of each kind in a browser: pictures of it, errors of scripts, and what axe finds wrong.

    python -m lab.site.look build/site --out reports/site-look

It needs Node.js and Chromium, and fetches axe-core and puppeteer-core, which are pinned beside it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from conformance import BUILD
from lab.site import page_paths

HERE = Path(__file__).resolve().parent
MODULES = BUILD / "site-look"


def browser() -> str | None:
    """The Chromium that is here."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def one_of_each_kind(site: Path) -> Iterator[str]:
    """The places of pages of all kinds; of vectors the shortest and the longest page."""
    yield page_paths.HOME
    for pattern in ("formats/*/index.html", "formats/*/vectors.html"):
        yield from _smallest(site, pattern)[:1]
    vectors = _smallest(site, "vectors/*/*.html")
    yield from dict.fromkeys([*vectors[:1], *vectors[-1:]])
    yield page_paths.IMPLEMENTATIONS
    implementations = _smallest(site, "implementations/[!i]*.html")
    yield from dict.fromkeys([*implementations[:1], *implementations[-1:]])
    yield from (page_paths.SCENARIOS, page_paths.MUTANTS, page_paths.FINDINGS)
    yield from _smallest(site, "findings/[!i]*.html")[-1:]
    yield page_paths.GUIDES
    yield from _smallest(site, "guides/[!i]*.html")[-1:]
    yield f"{page_paths.SEARCH}?q=checksum"


def _smallest(site: Path, pattern: str) -> list[str]:
    found = sorted(site.glob(pattern), key=lambda path: (path.stat().st_size, path))
    return [path.relative_to(site).as_posix() for path in found]


def fetch() -> None:
    """Install what the script needs. Raises ``subprocess.CalledProcessError``."""
    wanted = (HERE / "package.json").read_bytes()
    installed = MODULES / "package.json"
    if (MODULES / "node_modules").is_dir() and installed.read_bytes() == wanted:
        return
    shutil.rmtree(MODULES, ignore_errors=True)
    MODULES.mkdir(parents=True)
    shutil.copyfile(HERE / "package.json", installed)
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(command, cwd=MODULES, check=True, timeout=600)


def look(site: Path, out: Path) -> int:
    """Look at the pages; pictures go to ``out``. The status: 0 if nothing is wrong, else 1."""
    chromium = browser()
    if chromium is None or shutil.which("npm") is None:
        raise FileNotFoundError("Chromium and Node.js are needed")
    fetch()
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "look.cjs", MODULES / "look.cjs")
    command = ["node", str(MODULES / "look.cjs"), chromium, str(site.resolve()), str(out.resolve())]
    return subprocess.run([*command, *one_of_each_kind(site)], check=False, timeout=1800).returncode
