package patch

// The steps of work on patches, in the words that people see.
const (
	stepReading  = "reading"
	stepMaking   = "making the patch"
	stepApplying = "applying the patch" // also the proof of one that was made
	stepChecking = "checking the files"
	stepVerify   = "checking the patch"
	stepChunks   = "looking for chunks"
)

// sizeOf returns how many bytes files have together.
func sizeOf(files []File) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}
