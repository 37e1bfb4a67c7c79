"""Wrong: write bytes other than zeros into a block trailer, which no reader checks."""

from breakable_writer import Log, run

from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER_SIZE


class Filling(Log):
    def append(self, records: list[bytes]) -> None:
        before = self.path.stat().st_size
        super().append(records)
        left = -before % BLOCK_SIZE
        if 0 < left < HEADER_SIZE:
            with self.path.open("r+b") as log:
                log.seek(before)
                log.write(b"\xff" * left)


run(Filling, "fills-the-trailer")
