"""Wrong: return every record twice, like a recovery that replays a log twice."""

from breakable_reader import Reader, serve_reader


class DuplicatesRecords(Reader):
    def release(self, payload: bytes) -> None:
        super().release(payload)
        super().release(payload)


serve_reader(DuplicatesRecords)
