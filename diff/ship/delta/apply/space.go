package apply

import "fmt"

// SpaceError means that a disk has too little room.
type SpaceError struct{ Need, Free int64 }

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%d bytes are to be written, and the disk has room for %d", e.Need, e.Free)
}
