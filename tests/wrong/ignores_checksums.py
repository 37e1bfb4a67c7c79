"""Wrong: never looks at the checksum, so damaged payloads are returned as if they were right."""

from breakable_reader import Reader, serve_reader


class IgnoresChecksums(Reader):
    def checksum_holds(self, checksum: int, covered: bytes) -> bool:
        return True


serve_reader(IgnoresChecksums)
