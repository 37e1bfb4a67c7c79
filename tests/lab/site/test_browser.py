"""In a browser, the policy blocks nothing, no script fails, and pages fit a narrow screen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lab.site import page_paths
from tests.browser import WIDE, drawn, needs_browser

from .conftest import Site


def with_script(site: Site, folder: Path, text: str) -> Path:
    """Return a copy of a site whose script ends with ``text``."""
    copy = folder / "site"
    shutil.copytree(site.out, copy)
    with (copy / "assets" / "site.js").open("a") as script:
        script.write(text)
    return copy


@needs_browser
def test_a_list_of_vectors_can_be_narrowed(site: Site, tmp_path: Path) -> None:
    copy = with_script(
        site,
        tmp_path,
        'const form = document.getElementById("filter");'
        'form.elements.who.value = "goleveldb";'
        'form.dispatchEvent(new Event("input"));',
    )
    page, message = drawn(copy / page_paths.format_page("leveldb-log"), tmp_path / "profile")
    assert message == []
    assert '<p id="filtered" role="status">1 vector</p>' in page


@needs_browser
@pytest.mark.parametrize(
    "place",
    [
        page_paths.HOME,
        page_paths.chapter("leveldb-log"),
        page_paths.vector("leveldb-log/first-then-full"),
    ],
)
def test_a_page_fits_a_narrow_screen(site: Site, tmp_path: Path, place: str) -> None:
    copy = with_script(site, tmp_path, WIDE % 400)
    page, message = drawn(copy / place, tmp_path / "profile", width=400)
    assert message == []
    assert 'data-wide=""' in page
