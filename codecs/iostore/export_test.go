package iostore

// PartitionTemplate makes Create write partitions of size bytes.
func PartitionTemplate(size uint64) any { return &template{era: ue5, partitionSize: size} }

// HashID is the hash of an id that the perfect hash is made of.
func HashID(seed uint64, id [12]byte) uint64 { return hashID(seed, id) }

// Perfect is the search for a perfect hash.
func Perfect(ids [][12]byte) (order []int, seeds, left []int32) {
	list := make([]chunkID, len(ids))
	for i := range ids {
		list[i] = ids[i]
	}
	return perfect(list)
}
