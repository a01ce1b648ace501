package rows

// For tests.
const (
	EndedRows   = endedRows
	BroughtRows = broughtRows
)
