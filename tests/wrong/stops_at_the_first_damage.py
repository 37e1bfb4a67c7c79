"""Wrong in the profile recover: what follows the first damage is never looked at."""

from breakable_reader import Reader, serve_reader


class StopsAtTheFirstDamage(Reader):
    def damage(self, what: str) -> None:
        super().damage(what)
        self.log = b""


serve_reader(StopsAtTheFirstDamage)
