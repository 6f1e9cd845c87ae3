# cell: first-denial
def first_denial(rows):
    told = None
    for place in range(len(rows), 0, -1):
        if not rows[place - 1]["ok"]:
            told = [place, rows[place - 1]["reason"]]
    return told
