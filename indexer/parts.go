package indexer

import (
	"fmt"
	"io/fs"
)

// findParts looks for the files beside an archive that hold its contents. Their
// sizes are part of the scan key: a file that was absent and is there, or was
// cut short, is another scan. What the parts hold is vouched for by checksums
// in the archive's own file, so their bytes need not be. An archive without any
// is scanned like one by Options.Quick.
func findParts(o *opened) error {
	if o.format.Parts == nil {
		return nil
	}
	names, err := o.format.Parts(o.src)
	if err != nil {
		return err
	}
	found := 0
	for i, name := range names {
		st, err := fs.Stat(o.src.Dir, name)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		o.scan += fmt.Sprintf("%s%d:%d", partKey, i, st.Size())
		found++
	}
	if o.hollow = len(names) > 0 && found == 0; o.hollow {
		o.scan += quickKey // as it will be scanned, whatever was asked for
	}
	return nil
}

// partKey begins what the scan key says about a file beside the archive.
const partKey = " part"

// quickKey marks the scan of an archive that was not read: a full scan does not
// take it for its own.
const quickKey = " quick"
