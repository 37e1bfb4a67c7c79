"""Wrong in the profile recover: stop at the first damage."""

from breakable_reader import Reader, serve_reader


class StopsAtTheFirstDamage(Reader):
    def damage(self, what: str) -> None:
        super().damage(what)
        self.log = b""


serve_reader(StopsAtTheFirstDamage)
