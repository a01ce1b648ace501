package iostore

import (
	"context"

	"pakdb/codecs"
	"pakdb/internal/aes256"
)

// Sums implements codecs.Summer: the hashes of all contents, from the .utoc
// alone.
func (a *archive) Sums(ctx context.Context) ([]codecs.Sum, error) {
	sums := make([]codecs.Sum, a.toc.len())
	all := make([]byte, longHashSize*len(sums))
	for i := range sums {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sums[i] = a.toc.sum(int(a.order[i]), all[longHashSize*i:][:0:longHashSize])
	}
	return sums, nil
}

// Locate implements codecs.Locator: a long package name, "/Game/Maps/Arena",
// stands for the chunk of that package, whether or not the container has a path
// for it; with an extension (.uasset, .umap, .ubulk, .uptnl, .m.ubulk) for the
// chunks of that kind.
func (a *archive) Locate(name string) func(*codecs.Entry) bool { return packageChunks(name) }

// Find implements Finder.
func (a *archive) Find(id codecs.ID) (ordinal int, ok bool) {
	c, ok := chunkOf(id)
	if !ok {
		return 0, false
	}
	i, ok := a.toc.find(c)
	if !ok {
		return 0, false
	}
	return int(a.rank[i]), true
}

// SealedBy implements codecs.Sealer. Of the tables the directory index is
// encrypted, in the .utoc.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	t := a.toc
	if a.crypt.block == nil || a.crypt.ctr {
		return nil, t.keyID, nil
	}
	if n := int64(len(t.dir)); n > 0 && n%aes256.Block == 0 {
		tables = []codecs.Region{{Offset: t.dirAt, Size: n}}
	}
	return a.keys(t.keyID), t.keyID, tables
}

// SealedUnit implements codecs.Sealer: each block is encrypted by itself.
func (a *archive) SealedUnit() bool { return false }

// Verify implements codecs.Verifier. It reads the .utoc and every .ucas once
// and reports
//
//   - ids that stand twice, or that the perfect hash does not lead to,
//   - chunks whose blocks contradict their extents, or whose content does not
//     have its hash,
//   - blocks that no chunk uses, that overlap, lie outside their partition, or
//     do not have their SHA-1 where the container is signed,
//   - bytes in gaps.
//
// Problems of chunks come in the order of the table. Without the .ucas, or
// without its key, what can be checked is, and one problem says why the rest
// is not.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	return verify(ctx, a, report)
}
