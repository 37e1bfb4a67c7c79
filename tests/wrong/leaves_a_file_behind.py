"""Wrong: leave a temporary file next to the log after a write or an append."""

from breakable_writer import Log, run


class Littering(Log):
    def go_on(self, end: int, records: list[bytes]) -> None:
        self.path.with_suffix(".tmp").write_bytes(b"")
        super().go_on(end, records)


run(Littering, "leaves-a-file-behind")
