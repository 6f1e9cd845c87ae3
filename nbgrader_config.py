"""nbgrader's configuration for this course: read when nbgrader or JupyterLab starts at the repository's root."""

from pathlib import Path

from grader.course import Course, configure

configure(get_config(), Course(Path(__file__).resolve().parent))  # type: ignore[name-defined]  # noqa: F821
