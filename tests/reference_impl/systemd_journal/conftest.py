from pathlib import Path

import pytest

from tests.real_files import JOURNALS, read_journal


@pytest.fixture(params=JOURNALS)
def real_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.journal"
    path.write_bytes(read_journal(request.param))
    return path
