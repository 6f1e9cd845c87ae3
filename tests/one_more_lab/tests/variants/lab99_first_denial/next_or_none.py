# cell: first-denial
def first_denial(rows):
    denials = ([place, row["reason"]] for place, row in enumerate(rows, start=1) if not row["ok"])
    return next(denials, None)
