"""What a lab notebook imports: the lab's description and, lazily, its props."""

from workshop.lab import Lab

open_lab = Lab.find

__all__ = ["Lab", "open_lab"]
