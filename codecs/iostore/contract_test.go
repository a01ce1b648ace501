package iostore_test

import (
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
)

func TestContractOfSamples(t *testing.T) {
	for _, path := range samples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := codecstest.OpenFile(t, path)
			codecstest.Contract(t, iostore.Format(), src, codecstest.ContractOptions{Cuts: 12, Flips: 24})
			codecstest.ByteCoverage(t, iostore.Format(), src, nil)
		})
	}
}
