package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Model is the state of the dashboard. It changes in Update only.
type Model struct {
	cfg   Config
	fx    *effects
	feed  *feed
	theme theme
	now   time.Time // of the last message

	width, height int
	board         *board
	stale         bool // the rows are older than the board
	builds        bool // and will be made anew soon
	built         time.Time

	selected process.ID
	moved    bool // a person has chosen it: it stays selected whatever comes
	first    int  // the first row that is shown
	marked   map[process.ID]bool

	inDetail bool // the lower pane has the keys
	zoomed   bool // and the whole screen
	wraps    bool // long lines are wrapped, not cut
	tab      tab
	tail     tail
	wanted   int // counts changes of what is looked at
	info     info

	loaded   bool // the list is whole
	all      bool // and holds all there are
	loading  map[process.ID]bool
	overview api.Overview
	fewer    int // how often in a row the daemon had fewer than the list
	dirty    map[process.ID]bool
	fetching bool
	ticking  bool
	beat     int // counts seconds

	away      error // why the daemon does not answer; nil: it does
	awaySince time.Time

	approvals []process.Approval
	dialog    *dialog
	prompt    *prompt
	help      bool
	helpFrom  int // the first line of it that is shown
	status    string
	bad       bool // the status is about something that went wrong
}

// tab is what the lower pane shows.
type tab int

// The tabs.
const (
	outputTab tab = iota
	eventsTab
	timelineTab
	infoTab
	transcriptTab
	tabs
)

func (t tab) String() string {
	return [...]string{"Output", "Events", "Timeline", "Info", "Transcript"}[t]
}

// kinds are the events that a tab is made of.
func (t tab) kinds() Kinds {
	if t == outputTab {
		return Lines
	}
	return Facts
}

// New makes a dashboard. Close ends it.
func New(ctx context.Context, cfg Config) *Model {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	th := theme{ascii: cfg.ASCII, plain: cfg.Plain}
	m := &Model{cfg: cfg, fx: newEffects(ctx, cfg.Source), theme: th, feed: newFeed(cfg.Source, cfg.Now),
		board: newBoard(th), marked: map[process.ID]bool{}, dirty: map[process.ID]bool{}, now: cfg.Now(), width: 80, height: 24}
	return m
}

// Close ends what the dashboard has under way and waits for it.
func (m *Model) Close() { m.fx.close() }

// Init starts the feed.
func (m *Model) Init() tea.Cmd {
	run := m.fx.do(func(ctx context.Context) tea.Msg {
		m.feed.run(ctx)
		return nil
	})
	return tea.Batch(run, m.fx.do(m.feed.next))
}

// Update takes a message in.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.cfg.Now()
	cmd := m.handle(msg)
	return m, tea.Batch(cmd, m.settle())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(1, msg.Width), max(1, msg.Height)
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && !msg.Value.IsNotRecognized() && !msg.Value.IsPermanentlyReset() {
			m.theme.widths = ansi.GraphemeWidth // the renderer does the same
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.insert(msg.Content)
		}
	case tea.MouseMsg:
		return m.mouse(msg)
	case pageMsg:
		m.takePage(msg)
		if msg.last { // there may be others after a restart
			return tea.Batch(m.fetchApprovals(), m.fx.do(m.feed.next))
		}
		return m.fx.do(m.feed.next)
	case changesMsg:
		return tea.Batch(m.takeChanges(msg), m.fx.do(m.feed.next))
	case awayMsg:
		if m.away == nil {
			m.awaySince = m.now
		}
		m.away = msg.err
		return m.fx.do(m.feed.next)
	case recordsMsg:
		m.takeRecords(msg)
	case buildMsg:
		m.builds, m.built = false, time.Time{}
	case tickMsg:
		return m.tick()
	case overviewMsg:
		m.takeOverview(msg)
	case openMsg:
		return m.open(msg)
	case pastMsg:
		return m.takePast(msg)
	case followedMsg:
		return m.takeFollowed(msg)
	case infoMsg:
		m.takeInfo(msg)
	case approvalsMsg:
		m.takeApprovals(msg)
	case createdMsg:
		m.takeCreated(msg)
	case doneMsg:
		return m.takeDone(msg)
	}
	return nil
}

// say shows a sentence in the status line.
func (m *Model) say(text string) { m.status, m.bad = text, false }

// complain shows a sentence about something that went wrong.
func (m *Model) complain(text string) { m.status, m.bad = text, true }
