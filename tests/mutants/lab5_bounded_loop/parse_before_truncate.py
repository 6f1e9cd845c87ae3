# loses: truncate_first
# hint: parse_before_truncate

# cell: read-result
def read_result(raw, spec):
    try:
        result = json.loads(raw.decode("utf-8"))
    except ValueError:
        raise GateError("schema_invalid") from None
    if not isinstance(result, dict) or any(key not in result for key in spec.required):
        raise GateError("schema_invalid")
    text = json.dumps(result)[: spec.max_bytes]
    return result if text else {}
