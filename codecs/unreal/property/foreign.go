package property

import "encoding/binary"

// Reset empties the list for a reader of another generation of the engine, which
// adds the nodes itself: data is the export's bytes, where the elements of packed
// arrays are, as numbers in that byte order.
func (l *List) Reset(data []byte, order binary.ByteOrder) { l.reset(data, order, false) }
