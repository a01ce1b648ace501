package textfile

import (
	"context"
	_ "embed"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
)

//go:embed REGISTRY.md
var registrySpec string

const registryFormatName = "asset-registry"

// registryMaxSize bounds the content held in memory. Development registries have some 200 MB.
const registryMaxSize = 512 << 20

// magic is the first 16 bytes, which files of version 0 lack.
const magic = "\xe7\x9e\x7f\x71\x3a\x49\xb0\xe9\x32\x91\xb3\x88\x07\x81\x38\x1b"

// RegistryInspector returns the inspector of asset registries. Its facts are of kind
// "unreal-asset-registry" with an [*unreal.RegistryFacts].
func RegistryInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     registryFormatName,
		Doc:      "asset registries of Unreal Engine: assets, tags, dependencies, sizes",
		Spec:     registrySpec,
		Revision: 3,
		Match: func(e *codecs.Entry, head []byte) bool {
			base := strings.ToLower(path.Base(e.Name))
			return strings.HasPrefix(string(head), magic) || strings.HasSuffix(base, "assetregistry.bin")
		},
		Inspect: registryInspect,
	}
}

func registryInspect(ctx context.Context, content io.ReaderAt, size int64, _ *codecs.Entry) (*codecs.Facts, error) {
	body, err := whole(ctx, registryFormatName, content, size, registryMaxSize)
	if err != nil {
		return nil, err
	}
	d := newDecoder(body)
	if err := d.read(); err != nil {
		return nil, err
	}
	return &codecs.Facts{Kind: "unreal-asset-registry", Detail: d.facts, Problems: d.problems}, nil
}

// registryFailure makes an error of registries.
func registryFailure(field string, err error, off int64) *codecs.FormatError {
	return failure(registryFormatName, field, err, off)
}
