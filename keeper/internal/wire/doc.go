// Package wire is how a daemon and its keeper process talk: frames with a
// length, a kind and a number on a unix socket, which also carries descriptors.
//
//	 0        2      3       4        8          16
//	┌────────┬──────┬───────┬────────┬──────────┬──────────────┐
//	│ "RV"   │ kind │ files │ length │ number   │ body …       │
//	└────────┴──────┴───────┴────────┴──────────┴──────────────┘
//
// Numbers are little-endian. A frame that breaks a rule (a wrong beginning, a
// body over [MaxBody], descriptors that are missing or pile up) ends the
// connection; nothing it carried is kept.
//
// Sending never blocks on the other side: what the socket does not take waits
// in a bounded queue, and a peer that lets it overflow, or takes nothing for
// [Patience], loses the connection.
package wire
