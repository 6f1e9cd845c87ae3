# loses: qty_type
# hint: bool_as_int
# Asks isinstance, which says yes to True.

# cell: fits-schema
def fits_schema(args):
    if set(args) != {"sku", "qty", "idempotency_key"}:
        return False
    sku, qty, key = args["sku"], args["qty"], args["idempotency_key"]
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and isinstance(qty, int)
        and 1 <= qty <= 20
        and isinstance(key, str)
        and 8 <= len(key) <= 64
    )
