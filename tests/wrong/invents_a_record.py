"""Wrong: add a record that was never written to the end of every log."""

from breakable_reader import Reader, serve_reader


class InventsARecord(Reader):
    def end_of_log(self) -> None:
        self.release(b"the end")


serve_reader(InventsARecord)
