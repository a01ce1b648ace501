package write

// SetMaxSeen bounds what is known in memory, until restore is called.
func SetMaxSeen(n int) (restore func()) {
	was := maxSeen
	maxSeen = n
	return func() { maxSeen = was }
}
