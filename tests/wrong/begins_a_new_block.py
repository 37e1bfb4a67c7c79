"""Wrong: begin a new block at each append. No record is lost, but new ones are misplaced."""

from breakable_writer import Log, run

from reference_impl.leveldb_log.layout import BLOCK_SIZE


class Padding(Log):
    def go_on(self, end: int, records: list[bytes]) -> None:
        super().go_on(-(-end // BLOCK_SIZE) * BLOCK_SIZE, records)


run(Padding, "begins-a-new-block")
