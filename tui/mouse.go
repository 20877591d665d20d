package tui

import tea "charm.land/bubbletea/v2"

// mouse selects by a click and scrolls the pane below the pointer.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.prompt != nil || m.dialog != nil || m.help {
		return nil
	}
	at := msg.Mouse()
	l := m.layout()
	head := 1
	if m.away != nil {
		head++
	}
	inList := l.list > 0 && at.Y <= head+l.list
	switch msg.(type) {
	case tea.MouseClickMsg:
		m.inDetail = !inList
		if i := m.first + at.Y - head - 1; inList && at.Y > head && i < len(m.board.rows) {
			m.choose(m.board.rows[i].rec.ID)
		}
	case tea.MouseWheelMsg:
		by := 3
		if at.Button == tea.MouseWheelUp {
			by = -3
		}
		if inList {
			m.walk(by)
			return nil
		}
		return m.scroll(by)
	}
	return nil
}
