"""The paper of Ghosh, Goveas and Draper redone: its analysis, its claims, docs/ghosh.md."""
