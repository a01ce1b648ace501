package iostore

// PartitionTemplate makes Create write partitions of size bytes.
func PartitionTemplate(size uint64) any { return &template{era: ue5, partitionSize: size} }
