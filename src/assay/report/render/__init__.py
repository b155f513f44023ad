"""How a document is shown: page, Markdown, terminal, summary, and the tables and plots that they share."""
