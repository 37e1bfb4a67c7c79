"""Kept kernels are those of the sources as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KERNELS = """
from walproof.scan import stored
stored.__file__ = {here!r}
stored.cache.cache_clear()
from pathlib import Path
print(stored.cache())
"""


def folder_for(sources: Path) -> str:
    code = KERNELS.format(here=str(sources / "compiled.py"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_another_state_of_any_source_has_another_folder(tmp_path: Path) -> None:
    (tmp_path / "compiled.py").write_text("")
    (tmp_path / "called.py").write_text("one = 1\n")
    before = folder_for(tmp_path)
    assert folder_for(tmp_path) == before
    (tmp_path / "called.py").write_text("one = 2\n")
    after = folder_for(tmp_path)
    assert after != before
    assert Path(after).parent == tmp_path / "__pycache__"
