# loses: first_of_many
# hint: last_one_told

# cell: first-denial
def first_denial(rows):
    told = None
    for place, row in enumerate(rows, start=1):
        if not row["ok"]:
            told = [place, row["reason"]]
    return told
