import lzma
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from journal_files import REAL


@pytest.fixture(params=sorted(REAL.glob("*.xz")) if REAL.is_dir() else [None], ids=str)
def real_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param is None:
        pytest.skip(f"no real files in {REAL}")
    path = tmp_path / request.param.name.removesuffix(".xz")
    path.write_bytes(lzma.decompress(request.param.read_bytes()))
    return path
