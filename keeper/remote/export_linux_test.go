package remote

// Disconnect breaks the client's connection, as a keeper does that had to wait
// for it for too long.
func (c *Client) Disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.conn.Close()
}
