# loses: diff_fields
# hint: differences_missed

# cell: diff
def diff(a, b):
    reasons_a, reasons_b = [row["reason"] for row in a], [row["reason"] for row in b]
    longest = max(len(a), len(b))
    return [place for place in range(longest) if reasons_a[place : place + 1] != reasons_b[place : place + 1]]
