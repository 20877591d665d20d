-- Schema 3: tool calls that a person decides.

CREATE TABLE approvals (
  id           INTEGER PRIMARY KEY,
  process      INTEGER NOT NULL,
  state        INTEGER NOT NULL, -- 0 pending, 1 approved, 2 denied, 3 expired, 4 canceled
  requested_at INTEGER NOT NULL,
  body         TEXT    NOT NULL, -- the rest, as JSON
  sealed       BLOB              -- the parameters of the call
) STRICT;
CREATE INDEX approvals_by_process ON approvals (process);
CREATE INDEX approvals_by_state ON approvals (state);
CREATE INDEX approvals_by_time ON approvals (requested_at) WHERE state > 0;

ALTER TABLE marks ADD COLUMN approval INTEGER NOT NULL DEFAULT 0; -- the highest approval id ever used
