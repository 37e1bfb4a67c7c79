"""Wrong: damage does not end an open record, so the tail of another record completes it."""

from breakable_reader import Reader, serve_reader


class JoinsStaleTails(Reader):
    def damage(self, what: str) -> None:
        still_open = self.open
        super().damage(what)
        self.open = still_open


serve_reader(JoinsStaleTails)
