"""What the commands share: the terminal, the labs by name, a progress bar, and one line for what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stub_server.errors import Mendable
from workshop.lab import REPOSITORY, Lab, LabNotFound, all_labs

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

LabNames = Annotated[list[str] | None, typer.Argument(help="Labs by number or name; all where none is named.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


class UsageError(Mendable):
    """The command was called in a way that cannot work here."""


def complain(message: str) -> None:
    """Say in one line on stderr what went wrong."""
    err.print(f"admit-one: {message}", markup=False, style="bold red")


def fail(message: str, *, code: int) -> NoReturn:
    """End the command: ``message`` as its one line on stderr, and the exit code."""
    complain(message)
    sys.exit(code)


def counted(count: int, one: str, more: str) -> str:
    """``count`` with the words for one or for any other number."""
    return f"{count} {one if count == 1 else more}"


def find_root() -> Path:
    """The repository: the current folder where it is one, else the one this package is installed from."""
    for folder in (Path.cwd(), REPOSITORY):
        if (folder / "fixtures").is_dir() and (folder / "permits").is_dir():
            return folder
    raise UsageError("no labs here; change into the folder that holds fixtures/ and permits/")


def find_whole_root() -> Path:
    """The repository, which must hold the solutions too: a student's copy does not."""
    root = find_root()
    if not (root / "solutions").is_dir():
        raise UsageError("this copy has no solutions/: it is a student's; open a lab with admit-one lab 1")
    return root


def choose_labs(root: Path, names: list[str] | None) -> list[Lab]:
    """The labs that are named, by number or name; all where none is. Raises LabNotFound."""
    labs = all_labs(root)
    if not names:
        return labs
    known = {name: lab for lab in labs for name in (str(lab.number), lab.prefix, lab.id)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise LabNotFound(f"no lab {unknown[0]!r}; there are {', '.join(lab.id for lab in labs)}")
    return list(dict.fromkeys(known[name] for name in names))


def short_names(root: Path) -> dict[str, str]:
    """Each lab's prefix by its id: what a table calls it, so that 80 columns are enough."""
    return {lab.id: lab.prefix for lab in all_labs(root)}


@contextmanager
def progress_bar(*, tell_phases: bool = False) -> Iterator[Any]:
    """A progress bar on stderr, or nothing where stderr is no terminal. Gives a function (what, done, total).

    ``tell_phases`` is for work of several phases: where there is no bar, a plain line says what begins.
    """
    columns = (TextColumn("{task.description:<17}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                if tell_phases and not err.is_terminal:
                    err.print(f"{what} ...", markup=False)
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield report


def plain(text: str) -> str:
    """Text that a student may have written, for the terminal: no control characters, no markup."""
    return escape("".join(character if character.isprintable() else "?" for character in text))
