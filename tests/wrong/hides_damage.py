"""Wrong: return the right records, but do not report lost records."""

from breakable_reader import Reader, serve_reader


class HidesDamage(Reader):
    def damage(self, what: str) -> None:
        super().damage(what)
        self.signals.clear()


serve_reader(HidesDamage)
