# loses: diff_lengths
# hint: shorter_list_wins

# cell: diff
def diff(a, b):
    fields = ("tool", "ok", "reason")
    pairs = enumerate(zip(a, b))
    places = [place for place, (left, right) in pairs if any(left[name] != right[name] for name in fields)]
    return places + [min(len(a), len(b))] * (len(a) != len(b))
