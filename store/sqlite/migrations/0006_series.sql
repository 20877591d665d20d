-- Schema 6: what runs used as time went by.

CREATE TABLE series (
  process INTEGER NOT NULL,
  run     INTEGER NOT NULL,
  step    INTEGER NOT NULL, -- milliseconds between two samples
  body    TEXT    NOT NULL  -- JSON: [[at, cpu, rss, pids, tokens], ...], in milliseconds and bytes
) STRICT;
CREATE UNIQUE INDEX series_by_run ON series (process, run);
