-- Schema 2: creates that can be repeated.

-- The last process created with a key. The spec holds the key, too.
CREATE TABLE keys (
  name    TEXT    PRIMARY KEY,
  process INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
