# loses: qty_type
# hint: qty_coerced
# Turns the quantity into an integer first, so that all clients are happy.

# cell: fits-schema
def fits_schema(args):
    if set(args) != {"sku", "qty", "idempotency_key"}:
        return False
    sku, qty, key = args["sku"], args["qty"], args["idempotency_key"]
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and 1 <= int(qty) <= 20
        and isinstance(key, str)
        and 8 <= len(key) <= 64
    )
