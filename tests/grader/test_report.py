"""The class report: every figure has its evidence, nothing unjudged reads as 0, and what students wrote stays text."""

from __future__ import annotations

import csv
import io
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from nbgrader.api import Gradebook

from grader import class_results
from grader.cases import hidden_cases, public_cases
from grader.classroom import grade_class
from grader.course import Course
from grader.hand_ins import find_submissions
from grader.launch import Launch, launch_process
from grader.marks import Mark, read_marks
from grader.report import write_report
from grader.status import STATUSES
from tests.grader.small_class import lab_of
from tests.hostile.attacks import LAB1
from tests.submissions import hand_in, made_up, submission
from workshop.lab import all_labs

Run = Callable[..., tuple[int, str, str]]
EVIL = "</code></style><script>hacked=1</script><img src=http://example.invalid/ onerror=hacked=1>\u202e\ud800\x00"
WRITES_EVIL = f"""
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        self.decisions.append({{"tool": tool, "ok": True, "reason": {EVIL!r}}})
"""
RAISES_EVIL = f"""
def replay(trace, budget, *, by_step=False):
    raise ValueError({EVIL!r})
"""
EVIL_ID = "<img src=x onerror=hacked=1>"
EVIL_NAMES = ("=cmd|'calc'!A0", "<script>hacked=1</script>\u202e")


@pytest.fixture(scope="module")
def course(marked: Course, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The marked class, and two more: one whose every text is an attack, one who fails a case that is not shown."""
    course = Course(tmp_path_factory.mktemp("reported") / "course")
    shutil.copytree(marked.root, course.root)
    names = {student.name: student for student in made_up("mutants", LAB1)}
    hidden = submission(LAB1, names["denial_not_caught"])
    evil = submission(LAB1, names["always_admits"])
    for cell in evil.cells:
        sources = {"budget": WRITES_EVIL, "replay": RAISES_EVIL}
        cell.source = sources.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    hand_in(course, EVIL_ID, LAB1, evil)
    hand_in(course, "hidden", LAB1, hidden)
    added = [one for one in find_submissions(course, [LAB1]) if one.student in (EVIL_ID, "hidden")]
    grade_class(course, added, launch, workers=2)
    with Gradebook(course.db_url, "admit-one") as gradebook:
        gradebook.update_or_create_student(EVIL_ID, first_name=EVIL_NAMES[0], last_name=EVIL_NAMES[1])
    write_report(course, all_labs(course.root), course.report)
    return course


@pytest.fixture(scope="module")
def page(course: Course) -> BeautifulSoup:
    return BeautifulSoup(course.report.read_bytes().decode("utf-8"), "html.parser")


@pytest.fixture(scope="module")
def rows(course: Course) -> list[dict[str, str]]:
    text = course.report.with_suffix(".csv").read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def find_one(within: Tag, name: str | None = None, **attributes: Any) -> Tag:
    """The first tag of this name, or with these attributes; there is one."""
    found = within.find(name, **attributes)
    assert found is not None, (name, attributes)
    return found


def table(page: BeautifulSoup, caption: str) -> Tag:
    return next(one for one in page.find_all("table") if find_one(one, "caption").get_text().startswith(caption))


def body(within: Tag) -> list[Tag]:
    """The rows of a table's body."""
    return list(find_one(within, "tbody").find_all("tr"))


def cells(row: Tag) -> list[str]:
    return [" ".join(cell.get_text().split()) for cell in row.find_all(["th", "td"])]


def row(page: BeautifulSoup, caption: str, begin: str) -> list[str]:
    """The cells of the row that begins with these words."""
    found = map(cells, body(table(page, caption)))
    return next(one for one in found if one[0].startswith(begin))


def test_every_figure_leads_to_a_place_of_the_page(page: BeautifulSoup) -> None:
    places = [tag["id"] for tag in page.find_all(id=True)]
    assert len(places) == len(set(places))
    links = [str(link["href"]) for link in page.find_all("a")]
    assert {link.removeprefix("#") for link in links} <= set(places)
    for figure in page.select(".map :is(.full, .most, .part, .low, .none, .unknown), .figures td:not(:has(.note))"):
        assert figure.a, figure


def test_a_figure_leads_to_the_evidence_it_stands_for(page: BeautifulSoup) -> None:
    lab1 = find_one(page, id="lab1-map")
    heads = [head.get_text() for head in find_one(lab1, "thead").find_all("th")]
    line = next(one for one in body(lab1) if find_one(one, "th").get_text() == "bo")
    figure = line.find_all(["th", "td"])[heads.index("The counting gates")]
    assert figure.get_text() == "0/12"
    target = find_one(page, id=str(find_one(figure, "a")["href"]).removeprefix("#"))
    assert cells(target)[:2] == ["The counting gates", "A tool that is not in the permit is denied"]
    assert cells(target)[3:5] == ['["unknown_tool", "admit"]', '["admit", "admit"]']
    group = target.find_parent("tbody")
    assert group is not None
    assert "bo" in find_one(group, "th").get_text()


def test_what_was_not_judged_is_a_dash_and_an_empty_cell_and_no_0(
    page: BeautifulSoup, rows: list[dict[str, str]]
) -> None:
    for student, status in (("dan", "could_not_grade"), ("fay", "not_submitted"), ("gus", "not_submitted")):
        told = row(page, "The class by checks", student)
        assert told[1:6] == ["–"] * 5
        assert status in told
        assert not any(re.fullmatch(r"0(/\d+)?|0\.0", cell) for cell in told)
        [line] = [one for one in rows if one["student"] == student and one["lab"] == LAB1]
        assert (line["mark"], line["points"], line["cases_right"], line["status"]) == ("", "", "", status)
    judged = row(page, "The class by checks", "cy_tampered")
    assert judged[1:6] == ["0/3", "0/12", "0/3", "0/2", "0/20"]


def test_who_needs_a_look_comes_first_and_what_could_not_be_graded_before_all(page: BeautifulSoup) -> None:
    look = find_one(find_one(page, "main"), "section")
    assert "loud" in look["class"]
    statuses = [one[0] for one in map(cells, body(look))]
    assert statuses == ["could_not_grade", "not_graded", "tampered", "crashed"]
    first = cells(body(look)[0])
    assert "no room left" in first[1]
    assert first[2] == "1 hand-in: dan, lab 1"
    assert "eve" not in look.get_text(), "a person has marked that one"


def test_the_mark_in_the_gradebook_stands_beside_the_points_where_it_is_another(page: BeautifulSoup) -> None:
    head = [one.get_text() for one in find_one(find_one(page, id="lab1-map"), "thead").find_all("th")]
    at = head.index("Mark in the gradebook")
    assert row(page, "The class by checks", "ada")[at - 1 : at + 1] == ["20/20", "18"]  # late
    assert row(page, "The class by checks", "eve")[at - 1 : at + 1] == ["–", "8"]  # by hand
    assert row(page, "The class by checks", "dan")[at - 1 : at + 1] == ["–", "–"]
    assert row(page, "The class by checks", "ada")[-1].startswith("2026-03-0")
    assert "Mark in the gradebook" not in find_one(page, id="lab4-map").get_text()


def test_misconceptions_are_counted_with_their_teaching_point(page: BeautifulSoup, course: Course) -> None:
    known = lab_of(course).misconceptions["always_admits"]
    told = row(page, "Misconceptions", known.title)
    assert told[1] == known.hint
    assert "bo" in told[2]
    assert "cy_tampered" in row(page, "Misconceptions", "Not filled in")[2]


def test_first_denials_say_what_was_due_and_what_came(page: BeautifulSoup) -> None:
    pairs = {tuple(one[:2]): one[2] for one in map(cells, body(table(page, "First-denial")))}
    assert "bo" in pairs["total_cap", "admit"]
    assert "bo" in pairs["depth_cap", "admit"]


def test_a_group_is_counted_among_those_who_were_judged(page: BeautifulSoup) -> None:
    judged = [one for one in body(find_one(page, id="lab1-map")) if "–" not in cells(one)[1:6]]
    for one in body(table(page, "What the class can do")):
        earned, _, of = cells(one)[2].partition(" of ")
        assert int(of) == len(judged)
        lacking = one.find_all("td")[-1].find_all("a")
        assert int(earned) == len(judged) - len(lacking)


def test_of_a_hidden_case_the_kind_and_the_hint_are_told(
    course: Course, page: BeautifulSoup, rows: list[dict[str, str]]
) -> None:
    [line] = [one for one in rows if one["student"] == "hidden" and "not shown" in one["called"]]
    assert line["expected"] == ""
    assert line["hint"]
    [told] = [one for one in map(cells, page.select(".evidence tr")) if line["called"] in one]
    assert told[told.index(line["called"]) + 1] == "not shown"
    lab = lab_of(course)
    public, hidden = (
        {(case.id, f"“{case.what}”") for table in tables.values() for case in table}
        for tables in (public_cases(lab), hidden_cases(lab, course.root / "solutions"))
    )
    secrets = {text for case in hidden for text in case} - {text for case in public for text in case}
    assert len(secrets) > 20
    assert not [text for text in secrets if text in page.get_text() or text in str(rows)]


def test_what_a_student_wrote_is_text(course: Course, page: BeautifulSoup) -> None:
    assert len(page.find_all("script")) == 1
    assert not page.find_all(["img", "iframe", "object", "link", "base", "form"])
    assert not [tag for tag in page.find_all(True) for name in tag.attrs if name.startswith("on")]
    shown = page.get_text()
    assert "<script>hacked=1</script>" in shown
    assert EVIL_ID in shown
    assert not re.search("[\x00\ud800]", shown)
    policy = find_one(page, "meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_no_cell_of_the_csv_is_a_formula(rows: list[dict[str, str]]) -> None:
    texts = [text for one in rows for text in one.values()]
    assert any(text.startswith("'=cmd") for text in texts)
    assert not [text for text in texts if re.match(r"\s*[=+@-]\s*\S", text)]


def test_the_page_fetches_nothing(course: Course) -> None:
    markup = re.sub(r"(?s)<td.*?</td>|<th.*?</th>|<span.*?</span>", "", course.report.read_text("utf-8"))
    assert not re.search(r"https?:|//|@import|url\(|src=", markup.partition("<script>")[0])


def test_each_status_of_the_class_is_told_with_its_meaning(page: BeautifulSoup) -> None:
    told = {line[0]: line[1] for line in map(cells, body(table(page, "Statuses")))}
    assert told == {name: status.to_instructor for name, status in STATUSES.items()}


def test_the_command_is_loud_about_missing_marks_and_says_what_it_replaced(
    course: Course, admit_one: Run, tmp_path: Path
) -> None:
    path = tmp_path / "mine.html"
    code, said, complaint = admit_one(course, "report", "1", "-o", path)
    assert code == 1
    assert complaint == ("admit-one: 2 handed in and have no mark, through no fault of theirs; the report names them\n")
    assert said.splitlines()[-2:] == [f"wrote {path}", f"wrote {tmp_path / 'mine.csv'}"]
    assert "1 needs a look, could_not_grade" in said
    assert "Lab 4" not in path.read_text("utf-8")
    code, said, complaint = admit_one(course, "report", "4", "-o", path)
    assert (code, complaint) == (0, "")
    assert said.splitlines() == [f"replaced {path}", f"replaced {tmp_path / 'mine.csv'}"]
    assert "Nobody" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("asked", "code", "told"),
    [(["-o", "marks.csv"], 2, "ends in .html"), (["-o", "nowhere/report.html"], 1, "cannot be written")],
)
def test_what_cannot_be_is_one_line(course: Course, admit_one: Run, asked: list[str], code: int, told: str) -> None:
    ended, _, complaint = admit_one(course, "report", *asked)
    assert ended == code
    assert complaint.count("\n") == 1
    assert told in complaint


def test_what_was_graded_without_a_sandbox_is_counted_at_the_top(marked_copy: Course, page: BeautifulSoup) -> None:
    [hal] = [one for one in find_submissions(marked_copy, [LAB1]) if one.student == "hal"]
    grade_class(marked_copy, [hal], launch_process, workers=1, resume=False)
    write_report(marked_copy, [lab_of(marked_copy)], marked_copy.report)
    told = "1 hand-in graded without a sandbox."
    report = BeautifulSoup(marked_copy.report.read_text("utf-8"), "html.parser")
    assert told in find_one(report, "header").get_text()
    assert "without a sandbox" not in page.get_text()


def test_a_gradebook_that_is_locked_on_the_way_is_one_clear_line(
    marked_copy: Course, admit_one: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(marked_copy.gradebook, isolation_level=None)

    def read_and_lock(*asked: Any) -> list[Mark]:
        found = read_marks(*asked)
        other.execute("BEGIN EXCLUSIVE")
        return found

    monkeypatch.setattr(class_results, "read_marks", read_and_lock)
    code, said, complaint = admit_one(marked_copy, "report")
    other.close()
    assert (code, said) == (1, "")
    assert complaint == "admit-one: another program has the gradebook locked: close it and run again\n"


def test_another_versions_verdict_is_not_taken_for_marks(marked_copy: Course, admit_one: Run) -> None:
    path = marked_copy.autograded / "bo" / LAB1 / "verdict.json"
    path.chmod(0o644)
    path.write_text(path.read_text("utf-8").replace('"called"', '"asked"'), encoding="utf-8")
    write_report(marked_copy, [lab_of(marked_copy)], marked_copy.report)
    page: Any = BeautifulSoup(marked_copy.report.read_text("utf-8"), "html.parser")
    assert row(page, "The class by checks", "bo")[1:6] == ["–"] * 5
    assert "no verdict.json holds for the mark in the gradebook" in table(page, "Evidence for lab 1").get_text()
    _, said, complaint = admit_one(marked_copy, "export", "1")
    assert "bo in lab1" in said
    assert complaint.startswith("admit-one: 3 handed in and have no mark, through no fault of theirs")
