package delta

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"slices"

	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// MemoryUsual is how many bytes applying needs unless a header says otherwise.
const MemoryUsual = 48 << 20

// Needs are what applying a patch takes beside old files.
type Needs struct {
	Recipes []Recipe // that are used
	Keys    []Key    // that must be given
	Memory  int64    // bytes for the largest block and what is around it
}

// CheckKeys reports which key is needed and not among those given, by an error
// that wraps [ErrNoKey].
func (n *Needs) CheckKeys(keys [][]byte) error {
	_, err := n.Unlock(keys)
	return err
}

// Unlock finds the keys that a patch needs among those that are there.
func (n *Needs) Unlock(keys [][]byte) ([]cipher.Block, error) {
	blocks := make([]cipher.Block, len(n.Keys))
	for i, want := range n.Keys {
		for _, key := range keys {
			if len(key) == aes256.KeySize && keyCheck(key) == want.Check {
				blocks[i], _ = aes.NewCipher(key) // of the right size
			}
		}
		switch {
		case blocks[i] != nil:
		case len(keys) == 0:
			return nil, fmt.Errorf("%w: %v", ErrNoKey, want)
		default:
			return nil, fmt.Errorf("%w: %v; none of the %d given is it", ErrNoKey, want, len(keys))
		}
	}
	return blocks, nil
}

// isUsual reports that nothing of it need be said.
func (n *Needs) isUsual() bool {
	return len(n.Recipes) == 0 && len(n.Keys) == 0 && n.Memory == MemoryUsual
}

// append appends what the header says of it.
func (n *Needs) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(n.Recipes)))
	for _, r := range n.Recipes {
		b = append(append(b, byte(slices.Index(Methods[:], r.Method))), r.Params[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(n.Keys)))
	for _, k := range n.Keys {
		b = append(append(b, k.ID[:]...), k.Check[:]...)
	}
	return binary.AppendUvarint(b, uint64((n.Memory+1<<20-1)>>20))
}

// read reads what append writes.
func (n *Needs) read(f *bin.Fields) {
	n.Recipes = make([]Recipe, f.Count("recipes", maxRecipes, 5))
	for i := range n.Recipes {
		m := f.Number("method", int64(len(Methods))-1)
		n.Recipes[i].Method = Methods[m]
		copy(n.Recipes[i].Params[:], f.Bytes(4))
	}
	n.Keys = make([]Key, f.Count("keys", maxKeys, 16+8))
	for i := range n.Keys {
		n.Keys[i] = Key{ID: [16]byte(f.Bytes(16)), Check: [8]byte(f.Bytes(8))}
	}
	n.Memory = f.Number("memory", 1<<20) << 20
}
