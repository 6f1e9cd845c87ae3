# loses: diff_fields
# hint: text_compared

# cell: diff
def diff(a, b):
    longest = max(len(a), len(b))
    return [place for place in range(longest) if str(a[place : place + 1]) != str(b[place : place + 1])]
