"""A file is written whole or not at all, and nothing unfinished stays behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.whole_file import write_whole


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    for data in (b"old", b"new"):
        write_whole(tmp_path / "marks.csv", data)
        assert (tmp_path / "marks.csv").read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["marks.csv"]


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").mkdir()
    (tmp_path / "marks.csv" / "kept").touch()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "marks.csv", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["marks.csv"]
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "marks.csv", b"new")
