//go:build !unix

package rawlog

// alive is not known here; what is left behind stays.
func alive(string) bool { return true }
