"""Each fault that admit-one check looks for is found, with the file it is in and what mends it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from grader.cli import app
from grader.consistency import (
    Fault,
    find_faults,
    flakes,
    generated_faults,
    lab_faults,
    link_faults,
    matrix_faults,
    whole_labs,
)
from grader.generated import LABS_BEGIN, LABS_END, README, golden_files, readme_page, write_files
from grader.matrix import Entry
from grader.release import scratch_folder
from tests.solved import ROOT
from workshop.lab import all_labs

LAB = "lab1_fanout_replay"
COMMANDS = list(typer.main.get_group(app).commands)
Spoil = Callable[[Path], None]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Lab 1 and the pages, free to be spoiled."""
    for name in ("permits", "tests/mutation"):  # which the lab's own pages name
        shutil.copytree(ROOT / name, tmp_path / name)
    for kind in ("fixtures", "solutions", "notebooks", "tests/mutants", "tests/variants", "tests/golden"):
        shutil.copytree(ROOT / kind / LAB, tmp_path / kind / LAB)
    (tmp_path / README).write_text(f"{LABS_BEGIN}\n{LABS_END}\n", encoding="utf-8")
    write_files(tmp_path, readme_page(tmp_path, all_labs(tmp_path)))
    return tmp_path


def faults_of(root: Path) -> Iterator[Fault]:
    labs = all_labs(root)
    whole, faults = whole_labs(root, labs)
    yield from faults
    for lab in whole:
        yield from lab_faults(root, lab)
    yield from generated_faults(root, readme_page(root, labs))
    yield from link_faults(root, COMMANDS)


def change(name: str, old: str, new: str) -> Spoil:
    """Replace a regular expression in one file, everywhere."""

    def spoil(root: Path) -> None:
        text = (root / name).read_text(encoding="utf-8")
        spoiled = re.sub(old, new, text, flags=re.MULTILINE)
        assert spoiled != text
        (root / name).write_text(spoiled, encoding="utf-8")

    return spoil


def drop_cases(name: str, *, group: str) -> Spoil:
    def spoil(root: Path) -> None:
        table = json.loads((root / name).read_text(encoding="utf-8"))
        kept = {check: [row for row in rows if row["group"] != group] for check, rows in table.items()}
        (root / name).write_text(json.dumps(kept), encoding="utf-8")

    return spoil


def delete(name: str) -> Spoil:
    return lambda root: (root / name).unlink()


def say(text: str) -> Spoil:
    """Add a line to README.md."""

    def spoil(root: Path) -> None:
        with (root / "README.md").open("a", encoding="utf-8") as page:
            page.write(f"\n{text}\n")

    return spoil


HIDDEN, PUBLIC, TOML = f"solutions/{LAB}/hidden_cases.json", f"fixtures/{LAB}/cases.json", f"fixtures/{LAB}/lab.toml"
MUTANT = f"tests/mutants/{LAB}/reads_clock.py"
SPOILED = [
    ("a group without a hidden case", drop_cases(HIDDEN, group="no_clock"), HIDDEN, "no_clock has no case"),
    ("a group without a public case", drop_cases(PUBLIC, group="no_clock"), PUBLIC, "no_clock has no case"),
    ("a case id twice", change(HIDDEN, '"id": "(?!by-step)[^"]*"', '"id": "by-step"'), HIDDEN, "stands twice"),
    ("a hint that is empty", change(TOML, '^hint = "Let the total.*$', 'hint = " "'), TOML, "no hint"),
    ("a hint that stands twice", change(TOML, '^hint = "[LM].*$', 'hint = "Look."'), TOML, "have the hint"),
    ("a mistake that no case exposes", change(HIDDEN, '"off_by_one_total"', "null"), HIDDEN, "no case exposes"),
    (
        "a mistake that nobody makes",
        delete(f"tests/mutants/{LAB}/trusting_test.py"),
        "tests/mutants",
        "no wrong solution",
    ),
    ("a group that is not there", change(MUTANT, "loses: no_clock", "loses: no_watch"), MUTANT, "groups of lab.toml"),
    ("a hint that is not there", change(MUTANT, "hint: .*", "hint: reads_watch"), MUTANT, "no misconception"),
    ("too few right solutions", delete(f"tests/variants/{LAB}/closures.py"), "tests/variants", "are wanted"),
    ("no released notebook", delete(f"notebooks/{LAB}/{LAB}.ipynb"), f"notebooks/{LAB}", "is missing"),
    ("minutes that differ", change(TOML, "^minutes = 15$", "minutes = 16"), "README.md", "would be generated"),
    ("no place for the table of labs", change(README, LABS_END, ""), "README.md", "no place for the table"),
    ("a link that leads nowhere", say("[a picture](docs/none.png)"), "README.md", "docs/none.png"),
    ("a command that is not there", say("`admit-one polish`"), "README.md", "admit-one polish"),
    ("a module that is not there", say("python -m tests.nowhere"), "README.md", "tests.nowhere"),
    ("a path that is not there", say("`fixtures/LAB/cases.yaml`"), "README.md", "fixtures/LAB/cases.yaml"),
]


def test_the_kit_as_it_stands_has_no_fault(matrix: dict[str, Entry]) -> None:
    with scratch_folder() as scratch:
        assert list(find_faults(ROOT, all_labs(ROOT), list(matrix.values()), COMMANDS, scratch)) == []


def test_lab_1_as_it_stands_has_no_fault(copy: Path) -> None:
    assert list(faults_of(copy)) == []


@pytest.mark.parametrize(("spoil", "file", "words"), [pytest.param(*row[1:], id=row[0]) for row in SPOILED])
def test_a_fault_is_found_with_its_file_and_what_mends_it(copy: Path, spoil: Spoil, file: str, words: str) -> None:
    if "variants" in file:
        delete(f"tests/variants/{LAB}/early_return.py")(copy)
    if words == "no case exposes":
        change(PUBLIC, '"off_by_one_total"', "null")(copy)
    spoil(copy)
    found = [fault for fault in faults_of(copy) if words in fault.what or words in fault.file]
    assert found
    assert all(fault.file.startswith(file) and fault.mend for fault in found)


def test_two_mistakes_that_no_case_tells_apart_are_a_fault(copy: Path) -> None:
    path = copy / "solutions" / LAB / "hidden_patterns.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    table["lab1.diff"]["text_compared"] = table["lab1.diff"]["differences_missed"]
    path.write_text(json.dumps(table), encoding="utf-8")
    assert [fault.what for fault in faults_of(copy)] == [
        "no case of lab1.diff tells differences_missed and text_compared apart"
    ]


def test_a_golden_text_that_is_changed_missing_or_left_over_is_a_fault(copy: Path, matrix: dict[str, Entry]) -> None:
    files = golden_files([entry for entry in matrix.values() if entry.entrant.lab.id == LAB])
    files |= readme_page(copy, all_labs(copy))
    golden = copy / "tests" / "golden" / LAB
    (golden / "reads_clock.txt").write_text("20 of 20 points\n", encoding="utf-8")
    (golden / "by_step_wrong.txt").rename(golden / "of_nobody.txt")
    found = {Path(fault.file).stem: fault.mend for fault in generated_faults(copy, files)}
    assert found == dict.fromkeys(("reads_clock", "by_step_wrong", "of_nobody"), "admit-one check --write")


def test_a_student_who_gets_something_else_than_due_is_a_fault(matrix: dict[str, Entry]) -> None:
    entry = matrix["lab1 mutants reads_clock"]
    student = replace(entry.entrant.student, loses=("own_state",), hint="shared_state")
    other = replace(entry, entrant=replace(entry.entrant, student=student))
    assert [(fault.file, fault.what) for fault in matrix_faults([other])] == [
        (MUTANT, "lab1 mutants reads_clock loses no_clock, but must lose own_state"),
        (MUTANT, "lab1 mutants reads_clock is told reads_clock, but must be told shared_state"),
    ]


def test_a_result_that_differs_on_another_run_is_a_fault(matrix: dict[str, Entry]) -> None:
    entry = matrix["lab1 mutants reads_clock"]
    again = replace(entry, result=replace(entry.result, notes=("another one",)))
    assert list(flakes([entry], [entry])) == []
    assert [fault.file for fault in flakes([entry], [again])] == [MUTANT]


def test_the_command_says_as_json_what_it_found(launch: object) -> None:
    command = [str(Path(sys.executable).with_name("admit-one")), "check", "1", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    told = json.loads(done.stdout)
    assert [row["lab"] for row in told["labs"]] == [LAB]
    assert told["labs"][0]["named"] == told["labs"][0]["caught"]
    assert (told["faults"], done.returncode) == ([], 0)
