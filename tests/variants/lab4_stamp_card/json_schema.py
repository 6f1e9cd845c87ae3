# Validates with the schema file, and adds what JSON Schema cannot say.

# cell: fits-schema
from jsonschema import Draft202012Validator

FROZEN = Draft202012Validator(schema)


def fits_schema(args):
    return FROZEN.is_valid(args) and isinstance(args["qty"], int)
