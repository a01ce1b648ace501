package unreal

import (
	"errors"
	"fmt"
)

// ErrNoWriting is wrapped by refusals to write a package: it is read, and no sample proves
// how it is written.
var ErrNoWriting = fmt.Errorf("%w for writing", errors.ErrUnsupported)

// ErrInside is wrapped by refusals to move bulk data that lies inside of an object.
var ErrInside = fmt.Errorf("%w: bulk data inside of an export", ErrNoWriting)
