# loses: diff_fields
# hint: whole_row_compared

# cell: diff
def diff(a, b):
    longest = max(len(a), len(b))
    return [place for place in range(longest) if a[place : place + 1] != b[place : place + 1]]
