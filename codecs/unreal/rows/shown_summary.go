package rows

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/stored"
)

func showSummary(v *Package, write func(...driver.Value) error) error {
	p := v.PackageFacts
	name := unreal.LongName(v.Path)
	if name == "" {
		name = p.Name
	}
	version := fmt.Sprintf("%d/%d", p.Version, p.Licensee)
	if p.LegacyVersion != 0 {
		version = fmt.Sprintf("ue4 %d, ue5 %d, legacy %d, licensee %d", p.Version, p.Version5, p.LegacyVersion, p.Licensee)
	}
	for _, line := range [][2]string{
		{"package", name},
		{"engine", p.Engine},
		{"version", version},
		{"layout", p.Layout},
		{"engine version", p.EngineVersion},
		{"compatible with", p.CompatibleEngine},
		{"cooker version", nonZero(int64(p.CookerVersion))},
		{"flags", fmt.Sprintf("0x%08x", p.Flags)},
		{"guid", guidText(p.GUID)},
		{"persistent guid", guidText(p.PersistentGUID)},
		{"saved hash", fmt.Sprintf("%X", p.SavedHash)},
		{"compression", p.Compression},
		{"traits", traitsText(p)},
		{"header size", nonZero(p.HeaderSize)},
		{"names", fmt.Sprint(p.NameCount)},
		{"imports", fmt.Sprint(p.ImportCount)},
		{"exports", fmt.Sprint(p.ExportCount)},
		{"export bytes", exportBytes(p)},
		{"generations", fmt.Sprint(len(p.Generations))},
		{"soft packages", nonZero(int64(len(p.SoftPackages)))},
		{"soft objects", nonZero(int64(len(p.SoftObjects)))},
	} {
		if line[1] == "" {
			continue
		}
		if err := write(line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}

func nonZero(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func guidText(id codecs.ID) string {
	if id.IsZero() {
		return ""
	}
	return strings.ToUpper(id.String())
}

func traitsText(p *unreal.PackageFacts) string {
	var traits []string
	for _, t := range []struct {
		has  bool
		text string
	}{{p.BigEndian, "big-endian"}, {p.Unversioned, "unversioned"}, {p.Split, "exports in the .uexp"}} {
		if t.has {
			traits = append(traits, t.text)
		}
	}
	return strings.Join(traits, ", ")
}

func exportBytes(p *unreal.PackageFacts) string {
	var n int64
	for i := range p.Exports {
		n += p.Exports[i].Size
	}
	return fmt.Sprintf("%d (%s)", n, stored.HumanSize(float64(n)))
}
