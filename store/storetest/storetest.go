// Package storetest is the conformance suite of package store: what every
// store must hold, whatever it keeps its data in. An implementation runs it
// from one test:
//
//	func TestStore(t *testing.T) { storetest.Run(t, open) }
//
// where open returns an empty store each time it is called. The suite closes
// the stores it opens.
package storetest

import (
	"testing"

	"github.com/reeverun/reeve/store"
)

// Run runs the whole suite.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, tt := range []struct {
		name string
		test func(*fixture)
	}{
		{"Empty", testEmpty},
		{"UnknownProcess", testUnknown},
		{"Closed", testClosed},
		{"EveryFieldRoundTrips", testEveryField},
		{"UpdateKeepsTheSpec", testUpdateKeepsSpec},
		{"VariantsRoundTrip", testVariants},
		{"OddBytesRoundTrip", testOddBytes},
		{"NothingIsShared", testNothingShared},
		{"BatchInOrder", testBatchInOrder},
		{"BatchOfEverySize", testBatchSizes},
		{"AllOrNothing", testAllOrNothing},
		{"CancelledApply", testCancelledApply},
		{"RefConflict", testRefConflict},
		{"Keys", testKeys},
		{"MarksSurviveDeletion", testMarks},
		{"Pages", testPages},
		{"QueryOracle", testQueryOracle},
		{"ClockSteps", testClockSteps},
		{"Count", testCount},
		{"Tags", testTags},
		{"PendingApprovals", testPendingApprovals},
		{"Unsettled", testUnsettled},
		{"LastSeqs", testLastSeqs},
		{"Archived", testArchived},
		{"RunsAfter", testRunsAfter},
		{"EveryEventKindRoundTrips", testEventKinds},
		{"EventsBySeq", testEventsBySeq},
		{"EventsByCursor", testEventsByCursor},
		{"InterleavedCursors", testInterleavedCursors},
		{"Findings", testFindings},
		{"Approvals", testApprovals},
		{"ApprovalQueries", testApprovalQueries},
		{"ApprovalsGoWithTheirProcess", testApprovalsGo},
		{"PruneApprovals", testPruneApprovals},
		{"Messages", testMessages},
		{"MessagesAreStoredOnce", testMessagesOnce},
		{"MessagesGoWithTheirProcess", testMessagesGo},
		{"Series", testSeries},
		{"Notifications", testNotifications},
		{"DueNotifications", testDueNotifications},
		{"NotificationsGoWithTheirProcess", testNotificationsGo},
		{"PruneNotifications", testPruneNotifications},
		{"ToolsNoneIsNotAny", testToolsNoneIsNotAny},
		{"Delete", testDelete},
		{"PruneEvents", testPruneEvents},
		{"PruneEventsOracle", testPruneEventsOracle},
		{"PrunableLogs", testPrunableLogs},
		{"LogsPrunedStays", testLogsPrunedStays},
		{"ReadersDuringWrites", testReadersDuringWrites},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			tt.test(newFixture(t, s))
		})
	}
}
