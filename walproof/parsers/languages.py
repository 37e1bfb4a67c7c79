"""The languages that packages are made for: how each names things, and what its packages need."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from conformance.kaitai.types import class_name
from walproof.parsers import csharp
from walproof.parsers.naming import Naming

COMPILER = "0.11.0"
_COMMENT = re.compile(r"^ +\* .*$", re.MULTILINE)
_BRACKET = re.compile(r"<(?!a href=|/a>)")


@dataclass(frozen=True)
class Offline:
    """How a package is tried where the registry with its runtime cannot be reached.

    ``needs`` are programs, which ``title`` names for people; then come the commands, in which
    ``{runtime}`` is the folder of our own small runtime for the language (``runtime/``).
    """

    needs: tuple[str, ...]
    title: str
    install: str
    example: str
    test: str


@dataclass(frozen=True)
class Language:
    """One target of the compiler.

    ``sources`` is where its packages keep the parsers, ``runtime`` what they depend on,
    ``install``, ``example`` and ``test`` are the commands for the README; without a ``test`` a
    package has none. ``lint`` is the language's own linter, which finds nothing. Names in braces
    are those of :class:`Naming`. ``file_name`` gives the file of a grammar's parser, ``finish``
    corrects the text of a generated file, ``together`` that of all of them, by name. ``driver``
    names the row of the matrix that proves the parsers; None if none does. ``tools`` is what
    continuous integration has to bring, ``offline`` another way to try a package.
    """

    id: str
    title: str
    target: str
    sources: str
    runtime: str
    install: str
    example: str
    file_name: Callable[[str], str]
    driver: str | None = None
    finish: Callable[[str, Naming], str] = lambda text, naming: text
    together: Callable[[Mapping[str, str]], dict[str, str]] = dict
    test: str | None = None
    lint: str | None = None
    tools: str = ""
    offline: Offline | None = None

    @property
    def tried(self) -> bool:
        """Whether its parsers are run by the tests of this project, or by the trial."""
        return self.driver is not None or self.offline is not None

    def named(self, naming: Naming) -> Language:
        """The same with the names in its paths and commands filled in."""

        def filled(text: str) -> str:
            for key in ("identifier", "java_path", "java"):
                text = text.replace(f"{{{key}}}", getattr(naming, key))
            return text

        return replace(self, sources=filled(self.sources), example=filled(self.example))


def _snake(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{grammar}{suffix}"


def _camel(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{class_name(grammar)}{suffix}"


def _in_java_package(text: str, naming: Naming) -> str:
    # The npm package of the compiler has no option for it. In comments, what stands in angle
    # brackets would be HTML; links are.
    text = _COMMENT.sub(lambda line: _BRACKET.sub("&lt;", line[0]), text)
    head, line, rest = text.partition("\n\n")
    return f"{head}\n\npackage {naming.java};{line}{rest}"


def _defined(text: str, naming: Naming) -> str:
    # Both are undefined behaviour: a number without a name is no value of an enum whose type is
    # not fixed, and what is cleaned up after a field that threw asks for the flags of later ones.
    text = re.sub(r"^( *)enum (\w+) \{", r"\1enum \2 : int64_t {", text, flags=re.MULTILINE)
    return re.sub(r"^( *)bool (n_\w+);", r"\1bool \2 = true;", text, flags=re.MULTILINE)


def _as_go_has_it(text: str, naming: Naming) -> str:
    # The compiler calls every package `parsers`, and assigns variables to themselves.
    text = re.sub(r"^package \w+$", f"package {naming.go}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^\s*(tmp\d+) = \1\n", "", text, flags=re.MULTILINE)
    if shutil.which("gofmt") is None:
        return text
    done = subprocess.run(["gofmt"], input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else text  # go build says what is wrong with it


def _without_std_import(text: str, naming: Naming) -> str:
    # `extern crate` is from the 2015 edition; `super` finds the modules of one crate without it.
    return re.sub(r"^extern crate kaitai;\n", "", text, flags=re.MULTILINE)


LANGUAGES = {
    language.id: language
    for language in (
        Language(
            "python", "Python", "python", "{identifier}", "kaitaistruct 0.11",
            "pip install .", "python example.py", _snake(".py"), "parser-python",
            test="python -m unittest discover tests", tools="python3",
        ),
        Language(
            "java", "Java", "java", "src/main/java/{java_path}",
            "io.kaitai:kaitai-struct-runtime 0.11", "mvn -q package dependency:copy-dependencies",
            "java -cp 'target/*:target/dependency/*' {java}.Example",
            _camel(".java"), "parser-java", _in_java_package,
            test="mvn -q test",
            lint="javadoc -quiet -Werror -Xdoclint:all,-missing -d target/javadoc "
            "-cp 'target/dependency/*' $(find src/main -name '*.java')",
            tools="openjdk-17-jdk-headless maven",
        ),
        Language(
            "javascript", "JavaScript and TypeScript", "javascript", "lib", "kaitai-struct 0.11.0",
            "npm install", "node example.js", _camel(".js"), "parser-javascript",
            test="npm test",
            lint="npx --yes --package typescript@5 tsc --strict --noEmit index.d.ts",
            tools="nodejs npm",
        ),
        Language(
            "go", "Go", "go", ".", "github.com/kaitai-io/kaitai_struct_go_runtime v0.11.0",
            "go build ./...", "go run ./example", _snake(".go"), "parser-go", _as_go_has_it,
            test="go test ./...", lint='test -z "$(gofmt -l .)" && go vet ./...',
            tools="golang-go",
        ),
        Language(
            "cpp", "C++11", "cpp_stl", "src", "a runtime in `kaitai/`, see below",
            "cmake -B build && cmake --build build", "build/example", _snake(".cpp"), "parser-cpp",
            _defined,
            test="cmake -B build && cmake --build build && ctest --test-dir build",
            lint="g++ -std=c++11 -Wall -Wextra -Werror -I. -Isrc -fsyntax-only "
            "example.cpp test.cpp",
            tools="cmake g++",
        ),
        Language(
            "rust", "Rust", "rust", "src", "a runtime in `kaitai/`, see below",
            "cargo build", "cargo run -q --example parts", _snake(".rs"), "parser-rust",
            _without_std_import, test="cargo test",
            lint="cargo clippy -q --all-targets -- -D warnings", tools="cargo rust-clippy",
        ),
        Language(
            "csharp", "C#", "csharp", "Parsers", "KaitaiStruct.Runtime.CSharp 0.11.0",
            "dotnet build", "dotnet run", _camel(".cs"),
            together=csharp.corrected,
            test="dotnet run test", tools="dotnet-sdk-8.0",
            offline=Offline(
                ("mcs", "mono"), "Mono",
                "mcs -out:example.exe *.cs Parsers/*.cs {runtime}/Kaitai.cs",
                "mono example.exe", "mono example.exe test",
            ),
        ),
        Language(
            "ruby", "Ruby", "ruby", "lib", "gem kaitai-struct 0.11",
            "bundle install", "bundle exec ruby example.rb", _snake(".rb"), "parser-ruby",
            test="bundle exec ruby test.rb", tools="ruby ruby-bundler",
            offline=Offline(
                ("ruby",), "Ruby", "for file in lib/*.rb; do ruby -wc $file || exit 1; done",
                "ruby -w -I{runtime} example.rb", "ruby -w -I{runtime} test.rb",
            ),
        ),
        Language(
            "php", "PHP", "php", "src", "kaitai-io/kaitai_struct_php_runtime 0.11",
            "composer install", "php example.php", _camel(".php"),
        ),
        Language(
            "lua", "Lua 5.3 or later", "lua", ".", "kaitai_struct_lua_runtime 0.11, see below",
            "git clone --branch 0.11 "
            "https://github.com/kaitai-io/kaitai_struct_lua_runtime runtime",
            "LUA_PATH='runtime/?.lua;./?.lua' lua example.lua", _snake(".lua"),
        ),
    )
}  # fmt: skip
"""The languages by id. Their commands are for a shell in the package's folder."""

NOTES = {
    "javascript": "Numbers above 2^53 are inexact in JavaScript; `exact(value)` gives the integer "
    "as a BigInt. TypeScript finds the declarations in `index.d.ts`.",
    "cpp": "The official C++ runtime is in no registry. `kaitai/` is a small one of this project "
    "with the same interface; the official one, release 0.11, can take its place.",
    "rust": "The crate `kaitai` of the registry is another project, and the official runtime "
    "is not there. `kaitai/` is a small one of this project with the same interface.",
    "java": "Values of `u8` above 2^63 are negative, and an enum value without a name is null.",
    "csharp": "A field whose `if` is false is null, but for an enum, which is 0.",
    "go": "A field whose `if` is false holds its zero value.",
    "lua": "The runtime is in no registry; it is taken from its repository.",
    "php": "Values of `u8` above 2^63 are negative.",
}
"""What a user of one language must know, for the README."""
