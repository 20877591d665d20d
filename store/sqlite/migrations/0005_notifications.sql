-- Schema 5: who is told by HTTP that a run is over.

CREATE TABLE notifications (
  process    INTEGER NOT NULL,
  run        INTEGER NOT NULL,
  state      INTEGER NOT NULL, -- see notificationCodes
  host       TEXT    NOT NULL, -- of the receiver
  due        INTEGER,          -- of the next attempt; NULL: there is none
  created_at INTEGER NOT NULL,
  body       TEXT    NOT NULL, -- the rest
  payload    TEXT    NOT NULL  -- what is sent
) STRICT;
CREATE UNIQUE INDEX notifications_by_run ON notifications (process, run);
CREATE INDEX notifications_by_due ON notifications (host, due) WHERE due IS NOT NULL;
CREATE INDEX notifications_by_time ON notifications (created_at) WHERE due IS NULL;
