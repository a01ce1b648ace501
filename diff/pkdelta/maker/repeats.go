package maker

import "bytes"

// A long row of one byte is a copy of the new file that reaches into what it
// writes: a few bytes for any length, where contents take some for each MiB.

// minRepeat is what pays.
const minRepeat = 1 << 20

// repeats returns the rows of one byte in p, which stands at off, behind their
// first bytes.
func (f *fileMaker) repeats(p []byte, off int64) (list []storedRun, err error) {
	const step = minRepeat / 2
	floor := 0
	for at := 0; at+step <= len(p); at += step {
		if !isRow(p[at : at+step]) {
			continue
		}
		from, to := at, at+step
		for from > floor && p[from-1] == p[at] {
			from--
		}
		for to < len(p) && p[to] == p[at] {
			to++
		}
		if from > 0 || off == 0 {
			from++
		} else if before, err := f.ReadStored(off-1, 1); err != nil {
			return nil, err
		} else if before[0] != p[0] {
			from++
		}
		if to-from >= minRepeat {
			list = append(list, storedRun{at: from, n: to - from, file: len(f.old.Files), off: off + int64(from) - 1})
		}
		floor, at = to, to-step
	}
	return list, nil
}

func isRow(p []byte) bool { return p[0] == p[len(p)-1] && bytes.Equal(p[1:], p[:len(p)-1]) }

// withRepeats returns the repeats of p, and what find knows of what is between
// them.
func (f *fileMaker) withRepeats(p []byte, off int64, find func(p []byte, at int) ([]storedRun, error)) (all []storedRun, err error) {
	rows, err := f.repeats(p, off)
	if err != nil {
		return nil, err
	}
	at := 0
	for i := range len(rows) + 1 {
		end := len(p)
		if i < len(rows) {
			end = rows[i].at
		}
		runs, err := find(p[at:end], at)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			r.at += at
			all = append(all, r)
		}
		if i < len(rows) {
			all = append(all, rows[i])
			at = end + rows[i].n
		}
	}
	return all, nil
}
