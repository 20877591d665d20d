package sqlite

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/reeverun/reeve/process"
)

const (
	// A message does not change: one that is there stays as it is.
	sqlInsertMessage = `INSERT OR IGNORE INTO messages (process, number, sealed) VALUES (?, ?, ?)`

	sqlMessages = `SELECT number, sealed FROM messages INDEXED BY messages_by_process
		WHERE process = ? AND number > ? ORDER BY number LIMIT ?`

	sqlDeleteMessages = `DELETE FROM messages WHERE process = ?`
)

// messageRows makes the rows of messages. What an agent and its tools say to
// each other may hold secrets and is sealed.
func (s *Store) messageRows(id process.ID, messages []process.Message) (rows [][]driver.Value, err error) {
	for i := range messages {
		m := &messages[i]
		var body bytes.Buffer
		enc := json.NewEncoder(&body)
		enc.SetEscapeHTML(false) // the JSON in it comes back as it was
		if err := enc.Encode(m); err != nil {
			return nil, fmt.Errorf("message %d: %w", m.Number, err)
		}
		sealed, err := s.sealer.Seal(body.Bytes())
		if err != nil {
			return nil, fmt.Errorf("seal message %d: %w", m.Number, err)
		}
		rows = append(rows, []driver.Value{int64(id), m.Number, sealed})
	}
	return rows, nil
}

func (s *Store) scanMessage(row scanner) (m process.Message, err error) {
	var number int64
	var sealed []byte
	if err := row.Scan(&number, &sealed); err != nil {
		return m, err
	}
	body, err := s.sealer.Open(sealed)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		return m, fmt.Errorf("open message %d: %w", number, err)
	}
	return m, nil
}

// Messages implements [store.Store].
func (s *Store) Messages(ctx context.Context, id process.ID, after int64, limit int) ([]process.Message, error) {
	page, err := collect(ctx, s.db, s.scanMessage, sqlMessages, int64(id), after, max(limit, 0))
	if err == nil && len(page) == 0 {
		err = s.known(ctx, id)
	}
	return page, s.fail("read transcript", err)
}
