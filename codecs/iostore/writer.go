package iostore

import (
	"io"

	"pakdb/codecs"
)

func create(io.WriteSeeker, *codecs.CreateOptions) (codecs.Writer, error) { panic(1) }
func like(codecs.Archive) (*codecs.CreateOptions, error)                  { panic(1) }
