"""A course's lab, and what of it lies in the room that student code runs in."""

from __future__ import annotations

from grader.course import Course
from workshop.lab import Lab, read_lab


def read_course_lab(course: Course, lab_id: str) -> Lab:
    return read_lab(course.root / "fixtures" / lab_id, course.root / "permits")


def room_files(lab: Lab) -> dict[str, bytes]:
    """The lab's public files by their place beside the notebook: data/ and permits/."""
    data = {
        f"data/{path.relative_to(lab.data).as_posix()}": path.read_bytes()
        for path in sorted(lab.data.rglob("*"))
        if path.is_file()
    }
    return data | {f"permits/{name}": (lab.permits / name).read_bytes() for name in lab.permit_names}
