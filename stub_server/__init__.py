"""The bundled stub server: write-once endpoint, ledger, log and health."""
