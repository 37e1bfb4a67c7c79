"""The pages of a small site have the right content, links and sizes."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from conformance.chapter import chapter
from conformance.text import one_line
from lab.site import page_paths
from reference_impl.paths import SPEC
from reference_impl.register import registers

from .conftest import CHOSEN, FAILING, FOREIGN, Site

#: The maximum size of a vector's page, in bytes.
LARGEST = 20_000


def test_every_link_leads_somewhere(site: Site) -> None:
    files = {path.relative_to(site.out).as_posix() for path in site.out.rglob("*")}
    targets = [
        (place, target)
        for place, page in site.pages.items()
        for target in (*page.links, *page.loads)
        if not target.startswith(("https://", "http://"))
    ]
    assert len(targets) > 150
    for place, target in targets:
        path, _, anchor = unquote(target).partition("#")
        path = posixpath.join(posixpath.dirname(place), path.partition("?")[0])
        led = posixpath.normpath(path) if not target.startswith("#") else place
        assert led in files, (place, target)
        assert not anchor or anchor in site.pages[led].ids, (place, target)


def test_every_page_has_its_frame(site: Site) -> None:
    for place, page in site.pages.items():
        assert len(set(page.ids)) == len(page.ids), place
        assert page.tags.count("h1") == page.tags.count("main") == 1, place
        assert "<html lang=en>" in page.text, place
        assert "class=skip href=#main" in page.text, place
    titles = [re.findall(r"<title>([^<]+) · Walproof</title>", p.text) for p in site.pages.values()]
    assert len({title for (title,) in titles}) == len(site.pages), "each has a title of its own"


def test_pages_load_only_files_of_the_site(site: Site) -> None:
    for place, page in site.pages.items():
        assert not [each for each in page.loads if re.match(r"[a-z]+:|//", each)], place
        assert "style=" not in page.text.partition("<main")[0], place
        policy = re.search(r'Content-Security-Policy content="([^"]+)"', page.text)
        assert policy is not None and policy[1] == "default-src 'self' file:", place
    for name in ("site.css", "site.js"):
        text = (site.out / "assets" / name).read_text("utf-8")
        assert not re.search(r"https?://|@import|url\(|fetch\(|innerHTML", text), name


def test_every_vector_of_the_run_has_a_page(site: Site) -> None:
    created = {place for place in site.pages if place.startswith("vectors/")}
    assert created == {page_paths.vector(id) for id in CHOSEN}
    assert all(len(site.text(place).encode()) < LARGEST for place in created)


def test_a_vector_shows_its_damage_expectation_and_answers(site: Site) -> None:
    text = site.text("vectors/leveldb-log/first-then-full.html")
    assert "set blocks[0].records[1].header.type to 2" in text
    assert "href=four-short-records.html" in text
    assert "href=../../chapters/leveldb-log.html#LDB-032>LDB-032</a>" in text
    assert 'at 24, 14 B "charlie"' in text
    assert "[12, 24) incomplete-record" in text and "[12, 50) incomplete-record" in text
    given = text.partition("Real implementations")[2].partition("Our own")[0]
    assert '"bravocharlie"' in given
    assert "implementations/goleveldb.html#open-record-joined-with-the-next>goleveldb" in given
    assert "Null baselines" not in text


def test_emphasis_of_a_rule_is_marked(site: Site) -> None:
    text = site.text("vectors/kahadb-journal/write-a-batch-of-exactly-the-limit.html")
    assert "The <em>pending</em> batch" in text


def rows(text: str) -> list[list[str]]:
    """Return the cells of the first field table, including their markup."""
    table = text.partition("<table class=fields")[2].partition("</table>")[0]
    cells = (each.split("<td")[1:] for each in table.split("<tr")[2:])
    return [[each.partition(">")[2].strip() for each in row] for row in cells]


def test_the_damage_and_the_loss_are_marked(site: Site) -> None:
    text = site.text("vectors/leveldb-log/first-then-full.html")
    fields = {row[3]: row[2] for row in rows(text) if len(row) > 3}
    assert fields["blocks[0].records[0].header.type"] == "01"
    assert fields["blocks[0].records[1].header.checksum"] == '<i class="x l">95 0c 74 2f</i>'
    assert fields["blocks[0].records[1].header.type"] == '<i class="x l">02</i>'


def test_a_folder_shows_its_new_file(site: Site) -> None:
    text = site.text("vectors/kahadb-journal/a-sibling-among-the-files.html")
    assert text.index("<h3>db-3.log") < text.index("<h3>db-1.log")
    part = text.partition("<h3>db-3.log")[2].partition("<h3>")[0]
    assert all('<i class="x' in row[2] for row in rows(part) if row[2] != "…")


def test_real_implementations_come_first_and_null_baselines_last(site: Site) -> None:
    text = site.text(page_paths.HOME)
    order = [f">{FAILING}</a>", ">executable-spec</a>", ">stranger</a>", "null: intact"]
    results = [text.index(each) for each in order]
    assert results == sorted(results)
    assert "unavailable: go not found" in text
    assert "the results of 3 implementations" in text  # null baselines are not counted


def test_an_implementation_shows_why_it_fails(site: Site) -> None:
    page = site.pages[page_paths.implementation(FAILING)]
    assert "open-record-joined-with-the-next" in page.ids
    assert "../vectors/leveldb-log/first-then-full.html" in page.links


def test_the_list_of_vectors_marks_each_answer(site: Site) -> None:
    text = site.text("formats/leveldb-log.html")
    row = text.partition(">first-then-full</a>")[2].partition("<tr>")[0]
    marks = re.findall(r"<td(?: class=c-([a-z-]+))?>(.)", row)
    assert marks == [("known-failure", "≈"), ("", "✓"), ("crash", "†")]


def test_each_requirement_has_an_anchor_in_its_chapter(site: Site) -> None:
    for format in registers():
        page = site.pages[page_paths.chapter(format)]
        source = (SPEC / f"{format}.md").read_text("utf-8")
        every = re.findall(r"^\*\*([A-Z]{3}-\d{3}) \(", source, re.M)
        assert len(every) > 30 and set(every) <= set(page.ids), format
    assert "verdicts" in site.pages[page_paths.chapter("conventions")].ids


def test_a_requirement_shows_its_vectors_and_who_passes_them(site: Site) -> None:
    text = site.text(page_paths.chapter("leveldb-log"))
    rule = text.partition("id=LDB-032>")[2].partition("</section>")[0]
    assert "<p><strong>" in rule and " (MUST)</strong> If a record" in rule
    assert "href=../vectors/leveldb-log/first-then-full.html" in rule
    passing, failing = rule.split("✗ fail")
    assert ">executable-spec</a>" in passing and f">{FAILING}</a> 1/" in failing
    other = text.partition("id=LDB-002>")[2].partition("</section>")[0]
    assert "first-then-full" not in other


def test_every_requirement_id_is_a_link(site: Site) -> None:
    ids, links = re.compile(r"\b[A-Z]{3}-\d{3}\b"), 0
    known = {id for format in registers() for id in chapter(format).requirements}
    for place, page in site.pages.items():
        links += len(re.findall(r"href=\S*chapters/[a-z-]+\.html#[A-Z]{3}-\d{3}>", page.text))
        text = re.sub(r"<(a|title|option)\b.*?</\1>|<[^>]*>", "", page.text, flags=re.S)
        assert not known & set(ids.findall(text)), place
    assert links > 1000


def test_scores_have_their_heads_on_a_narrow_screen(site: Site) -> None:
    text = site.text(page_paths.HOME)
    row = text.partition(f">{FAILING}</a>")[2].partition("<tr>")[0]
    heads = re.findall(r"<th scope=col>(\w+)", text)
    assert re.findall(r"<td data-head=(\w+)", row) == heads[1:] and len(heads) > 6
    style = (site.out / "assets" / "site.css").read_text("utf-8")
    assert "content: attr(data-head)" in style.partition("@media (max-width: 40rem)")[2]


def test_text_of_programs_is_escaped(site: Site) -> None:
    for place, page in site.pages.items():
        assert "<script>alert(1)" not in page.text, place
        assert "\u202e" not in page.text and "\x1b" not in page.text, place
        assert not [each for each in page.links if each.startswith("javascript:")], place
    assert one_line(FOREIGN).replace("<", "&lt;").replace(">", "&gt;") in site.text(
        page_paths.implementation("stranger")
    )
