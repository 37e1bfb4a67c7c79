"""Find systemd journals in directories. Each file is one log. Rotation renames files."""

from __future__ import annotations

from walproof.lake.file_tree import Tree
from walproof.lake.format_discovery import Discovery

_FILE_ID = slice(24, 40)


def _key(text: str) -> str:
    from reference_impl.systemd_journal.sealing import BadKey, VerificationKey

    try:
        VerificationKey.parse(text)
    except BadKey:
        raise ValueError("a key as journalctl --setup-keys prints it") from None
    return text


class SystemdDiscovery(Discovery):
    """See :class:`Discovery`."""

    options = {"verificationKey": ("key", _key)}  # noqa: RUF012

    def stable_name(self, path: str, tree: Tree) -> str | None:
        """See :class:`Discovery`. The name contains the file id from the header."""
        head = tree.read(path, 0, _FILE_ID.stop)
        if len(head) == _FILE_ID.stop and any(head[_FILE_ID]):
            return f"systemd:{head[_FILE_ID].hex()}"
        return None


DISCOVERY = SystemdDiscovery()
