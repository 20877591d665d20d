package remote_test

func asDaemon() {}
