"""One verb per file: `register(app)` adds its command, which imports what is heavy only when it is called."""
