"""A log that is laid of tiles is a log, of so many times the records."""

from __future__ import annotations

from pathlib import Path

from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.bench import tiles


def test_a_tile_laid_end_to_end_is_a_log(tmp_path: Path) -> None:
    assert tiles.tiles() and tiles.of_lakes()
    for format_id, tile in [*tiles.tiles().items(), *tiles.of_lakes().items()]:
        log = tmp_path / f"{tile.size}-{tile.name}"
        assert tiles.lay(log, tiles.made(format_id, tile), 3) == log.stat().st_size
        found = [
            one for one in named(format_id).read(log, "recover", {}) if isinstance(one, Record)
        ]
        assert len(found) == 3 * tile.records
        assert {len(one.payload) for one in found} == {tile.size}
