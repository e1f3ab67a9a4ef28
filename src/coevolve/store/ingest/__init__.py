"""From other people's agents into the store: OpenTelemetry spans, chat logs, plain Python functions."""
