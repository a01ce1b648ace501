package history

import "pakdb/diff"

// Follow returns the events of one path by what each build has there: files are those of the
// builds of the labels, nil where there is none. It knows no renames: a file that has another
// name in one of the builds goes in it, and comes again.
func Follow(labels []string, files []*diff.File) (events []Event) {
	var before *diff.File
	for i, now := range files {
		switch {
		case before == nil && now != nil:
			events = append(events, Event{labels[i], diff.Change{Kind: diff.Added, New: now}})
		case before != nil && now == nil:
			events = append(events, Event{labels[i], diff.Change{Kind: diff.Removed, Old: before}})
		case before != nil && now != nil:
			if c := changeOf(before, now); c.Kind != 0 {
				events = append(events, Event{labels[i], c})
			}
		}
		before = now
	}
	return events
}
