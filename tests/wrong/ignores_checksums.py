"""Wrong: ignore checksums, and return damaged payloads."""

from breakable_reader import Reader, serve_reader


class IgnoresChecksums(Reader):
    def checksum_holds(self, checksum: int, covered: bytes) -> bool:
        return True


serve_reader(IgnoresChecksums)
