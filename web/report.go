package web

import (
	"io"

	"pakdb/diff"
	"pakdb/web/internal/page"
)

// NewReport begins a comparison as one HTML file that needs nothing else: [page.New] describes
// the parameters.
func NewReport(w io.Writer, old, new string, most int64, damaged ...string) *page.Writer {
	return page.New(w, old, new, most, damaged...)
}

// Markdown writes a summary of a comparison for a pull request: [page.Markdown] describes the
// parameters.
func Markdown(w io.Writer, old, new string, damaged []string, sums string, size func(int64) string,
	each func(do func(*diff.Change) error) (int, error)) (n int, err error) {
	return page.Markdown(w, old, new, damaged, sums, size, each)
}
