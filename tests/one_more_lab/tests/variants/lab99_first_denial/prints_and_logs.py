# cell: first-denial
import logging


def first_denial(rows):
    for place, row in enumerate(rows, start=1):
        print("looking at", row)
        if not row["ok"]:
            logging.warning("denied: %s", row["reason"])
            return [place, row["reason"]]
    return None
