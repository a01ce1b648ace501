package compress

import "pakdb/codecs/internal/lzo"

// LZOEncoder makes LZO1X streams as liblzo2 does at its levels of LZO1X-999.
type LZOEncoder = lzo.Encoder

// ErrLZOLevel means a level that LZO1X-999 does not have.
var ErrLZOLevel = lzo.ErrLevel
