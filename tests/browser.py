"""Draw a page in headless Chromium, if there is one on the PATH."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

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

#: This script sets the width of a page, and lists the elements that are wider than the page or
#: their container. It does not resize the window, because headless Chromium has no windows narrower
#: than 500 pixels.
WIDE = """
document.documentElement.style.maxWidth = "%dpx";
const right = document.documentElement.getBoundingClientRect().right + 1;
const boxes = [...document.querySelectorAll(".scroll")]
  .filter((box) => box.querySelector(".scores, .fields, .sides"))
  .filter((box) => box.scrollWidth > box.clientWidth);
const parts = [...document.querySelectorAll("main *")]
  .filter((each) => !each.closest(".scroll, pre") && each.getBoundingClientRect().right > right);
document.body.dataset.wide = [...boxes, ...parts].map((each) => each.outerHTML).join(" ");
"""


def drawn(page: Path, profile: Path, width: int = 1280) -> tuple[str, list[str]]:
    """Return a page after its scripts have run, and the messages that they wrote to the console."""
    size = f"--window-size={width},900"
    command = [CHROMIUM or "", *FLAGS, size, f"--user-data-dir={profile}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, text=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
