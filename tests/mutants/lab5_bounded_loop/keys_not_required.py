# loses: result_schema
# hint: keys_not_required

# cell: read-result
def read_result(raw, spec):
    try:
        result = json.loads(raw[: spec.max_bytes].decode("utf-8"))
    except ValueError as problem:
        raise GateError("schema_invalid", f"{spec.name}: {problem}") from None
    if not isinstance(result, dict):
        raise GateError("schema_invalid", f"{spec.name}: no object with {', '.join(spec.required)}")
    return result
