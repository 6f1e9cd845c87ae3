"""What ``admit-one check`` holds together: lab.toml, cases, made-up solutions, generated files, links and names.

Each fault says which file it is in and what mends it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.cases import HIDDEN_FILE, PUBLIC_FILE, CasesInvalid, hidden_cases, public_cases
from grader.diagnose import HIDDEN_PATTERNS_FILE, PATTERNS_FILE, Pattern, read_patterns
from grader.from_solved import files_from_solved
from grader.generated import (
    LABS_BEGIN,
    LABS_END,
    README,
    Files,
    golden_files,
    matrix_page,
    out_of_step,
    pattern_files,
    readme_page,
    strays,
    write_files,
)
from grader.launch import Launch
from grader.made_up import MadeUpInvalid, read_folder
from grader.matrix import MUTANT, VARIANT, Entry, entrants, grade_entrants
from grader.plan import NotACheck
from grader.progress import Progress
from grader.release import ReleaseFailed, bring_in_step, find_differences, scratch_folder
from grader.solved import SolvedNotebookInvalid, solved_path
from workshop.lab import Lab, all_labs

WRITE = "admit-one check --write"
RELEASE = "admit-one release"
FEWEST_VARIANTS = 5
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "solutions/*/design.md")


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it must be, the file (below the repository) to look at, and what mends it."""

    what: str
    file: str
    mend: str


def lab_faults(root: Path, lab: Lab) -> Iterator[Fault]:
    """Where the tables, the made-up solutions and lab.toml of one lab contradict each other or leave a gap."""
    toml, fixtures, solutions = f"fixtures/{lab.id}/lab.toml", f"fixtures/{lab.id}", f"solutions/{lab.id}"
    try:
        tables = {PUBLIC_FILE: public_cases(lab), HIDDEN_FILE: hidden_cases(lab, root / "solutions")}
        mutants, variants = (read_folder(root, kind, lab.id) for kind in (MUTANT, VARIANT))
    except (CasesInvalid, MadeUpInvalid) as problem:
        yield Fault(str(problem), fixtures, "mend the file that the message names")
        return
    for file, folder in ((PUBLIC_FILE, fixtures), (HIDDEN_FILE, solutions)):
        for check in lab.checks:
            rows = tables[file].get(check.id, ())
            for group in check.groups:
                if group.id not in {case.group for case in rows}:
                    yield Fault(f"group {group.id} has no case here", f"{folder}/{file}", f"add a case of {group.id}")
    for check in lab.checks:
        public, hidden = (tables[file].get(check.id, ()) for file in (PUBLIC_FILE, HIDDEN_FILE))
        twice = [name for name, count in Counter(case.id for case in (*public, *hidden)).items() if count > 1]
        for name in twice:
            yield Fault(f"case id {name!r} of {check.id} stands twice", f"{solutions}/{HIDDEN_FILE}", "rename one")
        if len(hidden) < len(public):
            what = f"{check.id} has {len(public)} public cases and only {len(hidden)} hidden ones"
            yield Fault(what, f"{solutions}/{HIDDEN_FILE}", "add hidden cases of the same kinds")
    exposed = {case.exposes for table in tables.values() for rows in table.values() for case in rows}
    for misconception in lab.misconceptions.values():
        if not misconception.title.strip() or not misconception.hint.strip():
            yield Fault(f"misconception {misconception.id} has no title or no hint", toml, "write one plain sentence")
        if misconception.id not in exposed:
            what = f"no case exposes {misconception.id}"
            yield Fault(what, f"{solutions}/{HIDDEN_FILE}", f'add a case with "exposes": "{misconception.id}"')
        if misconception.id not in {mutant.hint for mutant in mutants}:
            folder = f"tests/{MUTANT}/{lab.id}"
            yield Fault(f"misconception {misconception.id} has no wrong solution", folder, "write one that makes it")
    hints = Counter(misconception.hint for misconception in lab.misconceptions.values())
    for hint in (hint for hint, count in hints.items() if count > 1):
        yield Fault(f"two misconceptions have the hint {hint!r}", toml, "give each a hint of its own")
    groups = {group.id for check in lab.checks for group in check.groups}
    for mutant in mutants:
        file = f"tests/{MUTANT}/{lab.id}/{mutant.name}.py"
        if not mutant.loses or set(mutant.loses) - groups:
            yield Fault(
                "it must lose at least one group, and groups of lab.toml only", file, "mend its '# loses:' line"
            )
        if mutant.hint not in lab.misconceptions:
            yield Fault(f"{mutant.hint} is no misconception of lab.toml", file, "mend its '# hint:' line")
    if len(variants) < FEWEST_VARIANTS:
        what = f"{len(variants)} right solutions in other styles, {FEWEST_VARIANTS} are wanted"
        yield Fault(what, f"tests/{VARIANT}/{lab.id}", "write more")
    yield from _same_patterns(root, lab)


def _same_patterns(root: Path, lab: Lab) -> Iterator[Fault]:
    """Two misconceptions that no case tells apart are one."""
    path = f"solutions/{lab.id}/{HIDDEN_PATTERNS_FILE}"
    for check_id, known in read_patterns(root / path).items():
        names: dict[Pattern, set[str]] = {}
        for name, patterns in known.items():
            for pattern in patterns:
                names.setdefault(pattern, set()).add(name)
        for same in (sorted(group) for group in names.values() if len(group) > 1):
            mend = "add a case that does, or merge them in lab.toml"
            yield Fault(f"no case of {check_id} tells {' and '.join(same)} apart", path, mend)


def link_faults(root: Path, commands: Sequence[str]) -> Iterator[Fault]:
    """Links, paths, commands and modules that a page names and that are not there."""
    for path in sorted(page for pattern in PAGES for page in root.glob(pattern)):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (path.parent / target).exists():
                yield Fault(f"the link to {target} leads nowhere", name, "mend the link")
        for command in re.findall(r"(?:`|^    |&& )admit-one ([a-z]+)", text, re.M):
            if command not in commands:
                yield Fault(f"there is no command admit-one {command}", name, "name one of admit-one --help")
        for module in re.findall(r"python -m (tests[\w.]*)", text):
            place = root / module.replace(".", "/")
            if not place.with_suffix(".py").is_file() and not (place / "__main__.py").is_file():
                yield Fault(f"there is no module {module}", name, "name one that is there")
        for target in re.findall(
            r"`((?:fixtures|solutions|notebooks|permits|grader|workshop|tests|docs)/[^`\s]*)`", text
        ):
            if not any(root.glob(re.sub(r"LAB|NAME|N\b", "*", target).rstrip("/"))):
                yield Fault(f"there is no {target}", name, "name a path that is there")


def step_faults(root: Path, scratch: Path) -> Iterator[Fault]:
    """What ``admit-one release`` would write otherwise."""
    try:
        differences = find_differences(root, scratch)
    except (ReleaseFailed, SolvedNotebookInvalid, NotACheck) as problem:
        yield Fault(str(problem), "solutions", "mend the solved notebook that the message names")
        return
    for difference in differences:
        yield Fault(difference, difference.partition(" ")[0], RELEASE)


def matrix_faults(entries: Sequence[Entry]) -> Iterator[Fault]:
    """Made-up students who did not get what they must."""
    for entry in entries:
        one = entry.entrant
        for what in entry.faults():
            yield Fault(f"{one.name} {what}", one.source, f"mend it or the cases, then {WRITE}")


def flakes(entries: Sequence[Entry], again: Sequence[Entry]) -> Iterator[Fault]:
    """Results that another run of the same notebook gave otherwise."""
    for entry, other in zip(entries, again, strict=True):
        if entry.result.to_json() != other.result.to_json():
            one = entry.entrant
            yield Fault(f"{one.name} gave another result when graded again", one.source, "mend its cases or its driver")


def generated_faults(root: Path, files: Files) -> Iterator[Fault]:
    """Generated files that are out of step, missing, or left over."""
    if README not in files:
        yield Fault("has no place for the table of labs", README, f"put in the lines {LABS_BEGIN} and {LABS_END}")
    for name in out_of_step(root, files):
        yield Fault("is not what would be generated now", name, WRITE)
    for name in strays(root, files):
        yield Fault("belongs to no wrong solution", name, WRITE)


def whole_labs(root: Path, labs: Sequence[Lab]) -> tuple[list[Lab], list[Fault]]:
    """The labs that can be graded, and a fault for each file that another lab lacks for it."""
    whole, faults = [], []
    for lab in labs:
        needed = {
            solved_path(root, lab.id): "write the solved notebook",
            root / "solutions" / lab.id / HIDDEN_FILE: "write the hidden cases",
            root / "notebooks" / lab.id / f"{lab.id}.ipynb": RELEASE,
        }
        missing = [
            Fault("is missing", path.relative_to(root).as_posix(), mend)
            for path, mend in needed.items()
            if not path.is_file()
        ]
        faults += missing
        if not missing:
            whole.append(lab)
    return whole, faults


@dataclass(frozen=True)
class Examined:
    """What a check found: every entry of the matrix, the faults, and the files that were written."""

    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]
    written: tuple[str, ...]


def examine(
    root: Path,
    labs: Sequence[Lab],
    commands: Sequence[str],
    launch: Launch,
    *,
    workers: int,
    write: bool,
    repeat: int,
    progress: Progress,
) -> Examined:
    """Check ``labs``, and what belongs to no lab. With ``write``, first bring in step all that is generated.

    The matrix is graded ``repeat`` times; every result must be the same to the byte.
    """
    written: list[str] = []
    flaky: list[Fault] = []
    with scratch_folder() as scratch:
        if write:
            written += write_files(root, files_from_solved(root))
            written += bring_in_step(root, [lab for lab in labs if solved_path(root, lab.id).is_file()], scratch)
        whole, _ = whole_labs(root, labs)
        field = [entrant for lab in whole for entrant in entrants(root, lab)]
        entries = grade_entrants(root, field, launch, workers=workers, progress=progress)
        if write:
            if patterns := write_files(root, pattern_files(entries)):
                written += patterns
                entries = grade_entrants(root, field, launch, workers=workers, progress=progress)
            written += write_files(root, generated_files(root, entries))
            # The notebooks bring the patterns along, which their own grading had to find first.
            stale = [lab for lab in whole if f"fixtures/{lab.id}/{PATTERNS_FILE}" in written]
            written += bring_in_step(root, stale, scratch)
        for _ in range(1, repeat):
            flaky += flakes(entries, grade_entrants(root, field, launch, workers=workers, progress=progress))
        progress("Comparing", 0, 1)
        faults = (*find_faults(root, labs, entries, commands, scratch), *flaky)
        progress("Comparing", 1, 1)
    return Examined(tuple(entries), faults, tuple(written))


def find_faults(
    root: Path, labs: Sequence[Lab], entries: Sequence[Entry], commands: Sequence[str], scratch: Path
) -> Iterator[Fault]:
    """All that is wrong with ``labs``, whose matrix gave ``entries``, and with what belongs to no lab."""
    whole, missing = whole_labs(root, labs)
    yield from missing
    for lab in whole:
        yield from lab_faults(root, lab)
    yield from matrix_faults(entries)
    yield from generated_faults(root, generated_files(root, entries))
    yield from step_faults(root, scratch)
    yield from link_faults(root, commands)


def generated_files(root: Path, entries: Sequence[Entry]) -> Files:
    """All that is generated but the notebooks, as it must be where the matrix gives ``entries``."""
    labs = all_labs(root)
    files = {**files_from_solved(root), **pattern_files(entries), **golden_files(entries), **readme_page(root, labs)}
    if {entry.entrant.lab.id for entry in entries} == {lab.id for lab in labs}:  # the page tells of all of them
        files |= matrix_page(entries)
    return files
