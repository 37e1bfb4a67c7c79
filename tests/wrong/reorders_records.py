"""Wrong: return the newest record first."""

from breakable_reader import Reader, serve_reader


class ReordersRecords(Reader):
    def end_of_log(self) -> None:
        self.records.reverse()


serve_reader(ReordersRecords)
