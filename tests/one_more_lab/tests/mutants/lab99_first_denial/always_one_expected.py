# loses: nothing_denied
# hint: always_one_expected

# cell: first-denial
def first_denial(rows):
    return next([place, row["reason"]] for place, row in enumerate(rows, start=1) if not row["ok"])
