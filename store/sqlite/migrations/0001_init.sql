-- Schema 1. The package comment draws it and says why it is shaped so.
-- Times are nanoseconds since 1970, the smallest integer for "never".

PRAGMA application_id = 0x52656576; -- "Reev"

CREATE TABLE marks (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  id           INTEGER NOT NULL, -- the highest process id ever used
  cursor       INTEGER NOT NULL, -- the highest event cursor ever used
  created_high INTEGER NOT NULL, -- the latest created_at ever seen ...
  created_skew INTEGER NOT NULL, -- ... and how far a later one lay behind it
  event_high   INTEGER NOT NULL, -- the same of the events' times
  event_skew   INTEGER NOT NULL
) STRICT;
INSERT INTO marks VALUES (1, 0, 0, -9223372036854775808, 0, -9223372036854775808, 0);

-- What becomes of a process, with its newest run.
CREATE TABLE processes (
  id          INTEGER PRIMARY KEY,
  ref         TEXT,
  parent      INTEGER,
  environment TEXT    NOT NULL,
  state       INTEGER NOT NULL, -- 0 idle, 1 queued, 2 running, 3 terminating, 4 idle but not reaped
  exit_state  INTEGER NOT NULL, -- 0 none, 1 success, 2 failed, 3 timeout, 4 canceled
  created_at  INTEGER NOT NULL,
  run         INTEGER NOT NULL, -- the newest run's number
  finalized   INTEGER,          -- the cursor of that run's finalized event
  logs_at     INTEGER,          -- when that run completed, while its raw logs may exist
  logs_pruned INTEGER NOT NULL,
  body        TEXT    NOT NULL  -- the rest, as JSON
) STRICT;
CREATE UNIQUE INDEX processes_by_ref ON processes (ref) WHERE ref IS NOT NULL;
CREATE INDEX processes_by_parent ON processes (parent) WHERE parent IS NOT NULL;
CREATE INDEX processes_by_environment ON processes (environment);
CREATE INDEX processes_by_state ON processes (state, exit_state);
CREATE INDEX processes_by_finalized ON processes (finalized) WHERE finalized IS NOT NULL;
CREATE INDEX processes_by_logs ON processes (logs_at) WHERE logs_at IS NOT NULL;

-- What a client asked for: never changed, so an update need not rewrite it.
CREATE TABLE specs (
  process INTEGER PRIMARY KEY,
  spec    TEXT NOT NULL, -- JSON, without code and secrets
  code    TEXT,
  sealed  BLOB           -- values of the environment, stdin
) STRICT;

CREATE TABLE tags (
  tag     TEXT    NOT NULL,
  process INTEGER NOT NULL,
  PRIMARY KEY (tag, process)
) STRICT, WITHOUT ROWID;

-- Runs that a newer one replaced.
CREATE TABLE runs (
  process     INTEGER NOT NULL,
  run         INTEGER NOT NULL,
  exit_state  INTEGER NOT NULL,
  finalized   INTEGER,
  logs_at     INTEGER,
  logs_pruned INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  PRIMARY KEY (process, run)
) STRICT;
CREATE INDEX runs_by_finalized ON runs (finalized) WHERE finalized IS NOT NULL;
CREATE INDEX runs_by_logs ON runs (logs_at) WHERE logs_at IS NOT NULL;

-- The events of one change, as one row.
CREATE TABLE events (
  cursor   INTEGER PRIMARY KEY, -- of the first one
  span     INTEGER NOT NULL,    -- the last one's cursor less the first one's
  process  INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  first_at INTEGER NOT NULL,    -- the earliest time among them
  last_at  INTEGER NOT NULL,    -- the latest
  body     TEXT    NOT NULL     -- JSON: [[seq, cursor - first, run, at - first_at, kind, payload], ...]
) STRICT;
CREATE INDEX events_by_process ON events (process, last_seq);

CREATE TABLE findings (
  cursor   INTEGER PRIMARY KEY, -- of the event that told it
  process  INTEGER NOT NULL,
  run      INTEGER NOT NULL,
  severity TEXT    NOT NULL,
  code     TEXT    NOT NULL,
  body     TEXT    NOT NULL
) STRICT;
CREATE INDEX findings_by_process ON findings (process);
CREATE INDEX findings_by_severity ON findings (severity);
CREATE INDEX findings_by_code ON findings (code);
