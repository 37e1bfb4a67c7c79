"""Set the version of the packages and add compiled parsers to them. Hatchling runs this file.

The version comes from the git tags. The tag ``v0.2.0`` is version 0.2.0; five commits later the
version is 0.2.1.dev5+g1a2b3c4.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
# The directory of compiled parsers in an sdist.
PARSERS = "kaitai-parsers"
# Names of the packages that the wheel has below ``walproof``, in imports and in texts.
INNER = re.compile(r"""(?m)(^\s*(?:from|import) |["'])(conformance|reference_impl)(?=\.| import)""")
# The version before the first tag.
FIRST = "0.1.0"


def version() -> str:
    """Return the version of this tree (PEP 440).

    An sdist has no git history; Hatchling then reads the version from PKG-INFO.
    """
    described = _git("describe", "--tags", "--long", "--match", "v[0-9]*")
    if described and (match := re.fullmatch(r"v([0-9.]+)-([0-9]+)-(g[0-9a-f]+)", described)):
        tag, commits, commit = match.groups()
        return tag if commits == "0" else f"{_next(tag)}.dev{commits}+{commit}"
    count, commit = _git("rev-list", "--count", "HEAD"), _git("rev-parse", "--short", "HEAD")
    return f"{FIRST}.dev{count}+g{commit}" if count and commit else f"{FIRST}.dev0"


def _next(tag: str) -> str:
    *before, last = tag.split(".")
    return ".".join([*before, str(int(last) + 1)])


def _git(*arguments: str) -> str:
    """Return the output of a git command, or nothing outside a checkout or without git."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Add the compiled parsers of the grammars to the wheel and the sdist, and data to the wheel.

    In the wheel, imports of ``conformance`` and ``reference_impl`` become those of
    ``walproof.conformance`` and ``walproof.reference_impl``, where ``sources`` puts the files.

    With them ``walproof inspect`` needs neither Node.js nor a network. If the grammars cannot be
    compiled here, because Node.js is missing, the wheel has no parsers and compiles them on first
    use.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the parsers to the files of the package. Hatchling calls this before each build."""
        if version == "editable":
            return
        into = PARSERS if self.target_name == "sdist" else "walproof/wheel_data/kaitai"
        for folder in self._parsers():
            build_data["force_include"][str(folder)] = f"{into}/{folder.name}"
        if self.target_name == "wheel":
            for data in ("spec", "ksy", "vectors"):
                build_data["force_include"][str(ROOT / data)] = f"walproof/wheel_data/{data}"
            self._changed = tempfile.TemporaryDirectory()
            build_data["force_include"] |= self._with_inner_names(Path(self._changed.name))

    def _with_inner_names(self, folder: Path) -> dict[str, str]:
        """Write the files whose imports change to a folder; return their places in the wheel."""
        places = {}
        for file in self.build_config.builder.recurse_selected_project_files():
            path, place = Path(file.path), file.distribution_path
            if path.suffix in (".py", ".toml"):
                text = path.read_text(encoding="utf-8")
                if (new := INNER.sub(r"\1walproof.\2", text)) != text:
                    (folder / place).parent.mkdir(parents=True, exist_ok=True)
                    (folder / place).write_text(new, encoding="utf-8")
                    places[str(folder / place)] = place
        return places

    def _parsers(self) -> list[Path]:
        if (ROOT / PARSERS).is_dir():
            return sorted((ROOT / PARSERS).iterdir())
        sys.path.insert(0, str(ROOT))
        # Imports only what `build-system.requires` in pyproject.toml installs.
        from conformance.kaitai.compile import GrammarError, ToolMissing, parser_folder

        try:
            return [
                parser_folder(grammar.stem, debug)
                for grammar in sorted((ROOT / "ksy").glob("*.ksy"))
                for debug in (False, True)
            ]
        except (GrammarError, ToolMissing) as error:
            self.app.display_warning(f"without compiled parsers: {error}")
            return []
