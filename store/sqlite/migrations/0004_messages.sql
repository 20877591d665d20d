-- Schema 4: transcripts of agents.

CREATE TABLE messages (
  process INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  sealed  BLOB    NOT NULL -- the message, as JSON: what it says may hold secrets
) STRICT;
CREATE UNIQUE INDEX messages_by_process ON messages (process, number);
