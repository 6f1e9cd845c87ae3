# cell: first-denial
def first_denial(rows):
    place = 0
    while place < len(rows) and rows[place]["ok"]:
        place += 1
    return [place + 1, rows[place]["reason"]] if place < len(rows) else None
