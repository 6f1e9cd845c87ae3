"""A student's function from a file, and one line for each way a file can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from stub_server.decide_file import DecideFileError, load_decide


def test_the_function_of_that_name_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def decide(payload, store):\n    return 200, {'got': payload}\n")
    assert load_decide(file)(1, None) == (200, {"got": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mine.txt", "", "ends in .py"),
        ("mine.py", "decide = 3", "defines no function"),
        ("mine.py", "def decide(", "SyntaxError"),
        ("mine.py", "1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_file_without_one_is_an_error_of_one_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(DecideFileError, match=says) as raised:
        load_decide(file)
    assert "\n" not in str(raised.value)


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DecideFileError, match="no such file"):
        load_decide(tmp_path / "none.py")
