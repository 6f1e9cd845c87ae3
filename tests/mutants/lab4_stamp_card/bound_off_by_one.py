# loses: schema_first
# hint: bound_off_by_one
# Reads the largest quantity as the first one that is too large.

# cell: fits-schema
def fits_schema(args):
    if set(args) != {"sku", "qty", "idempotency_key"}:
        return False
    sku, qty, key = args["sku"], args["qty"], args["idempotency_key"]
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and type(qty) is int
        and 1 <= qty < 20
        and isinstance(key, str)
        and 8 <= len(key) <= 64
    )
