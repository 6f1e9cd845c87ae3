# loses: qty_type
# hint: float_as_int
# Takes any number without a fraction for an integer, as JSON Schema does.

# cell: fits-schema
def fits_schema(args):
    if set(args) != {"sku", "qty", "idempotency_key"}:
        return False
    sku, qty, key = args["sku"], args["qty"], args["idempotency_key"]
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and type(qty) in (int, float)
        and qty == int(qty)
        and 1 <= qty <= 20
        and isinstance(key, str)
        and 8 <= len(key) <= 64
    )
