"""systemd journals in a lake: each is a file, which journald renames when it begins a new one."""

from __future__ import annotations

from walproof.lake.formats.kind import Kind
from walproof.lake.option import Option
from walproof.lake.trees import Tree

_FILE_ID = slice(24, 40)


def _key(text: str) -> str:
    from reference_impl.systemd_journal.sealing import BadKey, VerificationKey

    try:
        VerificationKey.parse(text)
    except BadKey:
        raise ValueError("a key as journalctl --setup-keys prints it") from None
    return text


class SystemdJournal(Kind):
    """See :class:`Kind`."""

    options = (
        Option(
            "verificationKey",
            "key",
            _key,
            "none",
            "systemd: checks the seals of a sealed journal.",
        ),
    )

    def own_name(self, path: str, tree: Tree) -> str | None:
        """See :class:`Kind`: the id in the file's header."""
        head = tree.read(path, 0, _FILE_ID.stop)
        if len(head) == _FILE_ID.stop and any(head[_FILE_ID]):
            return f"systemd:{head[_FILE_ID].hex()}"
        return None


KIND = SystemdJournal()
