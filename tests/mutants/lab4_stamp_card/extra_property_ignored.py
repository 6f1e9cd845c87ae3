# loses: extra_property
# hint: extra_property_ignored
# Looks at the three properties it knows and at no other.

# cell: fits-schema
def fits_schema(args):
    if not {"sku", "qty", "idempotency_key"} <= set(args):
        return False
    sku, qty, key = args["sku"], args["qty"], args["idempotency_key"]
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and type(qty) is int
        and 1 <= qty <= 20
        and isinstance(key, str)
        and 8 <= len(key) <= 64
    )
