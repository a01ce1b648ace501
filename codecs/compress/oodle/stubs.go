package oodle

type (
	lznaState    struct{}
	bitKnitState struct{}
)

const smallQuantumSize = 0x4000

func (d *Decoder) resetModels() {}

func (d *Decoder) smallQuantum(pos, end int, h blockHeader) (int, error) {
	return 0, d.unsupported(pos, "block.codec", "Oodle "+h.codec.String())
}

func (d *Decoder) mermaid(pos, stop, end, mode int) error {
	return d.unsupported(pos, "block.codec", "Oodle Mermaid")
}

func (d *Decoder) leviathan(pos, stop, end, mode int) error {
	return d.unsupported(pos, "block.codec", "Oodle Leviathan")
}
