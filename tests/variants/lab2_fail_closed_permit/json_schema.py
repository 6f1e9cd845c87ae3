# The schema does what it can; what it lets through is looked at by hand.

# cell: load-permit
import jsonschema

FORM = jsonschema.Draft202012Validator(lab.read_permit("permit.schema.json"))


def numbers(value, key=""):
    if isinstance(value, dict) and not key.startswith("x_"):
        for inner, item in value.items():
            yield from numbers(item, inner)
    elif isinstance(value, float):
        yield key


def hosts(permit):
    return [host for tool in permit["tools"].values() for host in tool.get("allowed_hosts", [])]


def load_permit(path):
    try:
        permit = parse_json(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as problem:
        raise BudgetDenied(f"unreadable: {problem}") from problem
    faults = [fault.message for fault in FORM.iter_errors(permit)]
    if faults:
        raise BudgetDenied("; ".join(faults))
    if any(not key.startswith("x_") for key in numbers(permit)):
        raise BudgetDenied("a number with a point")
    if any(host != host.lower() for host in hosts(permit)):
        raise BudgetDenied("a host with capitals")
    return permit
