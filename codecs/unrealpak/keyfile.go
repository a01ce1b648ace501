package unrealpak

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// namedKey is a key of a file, as that states it.
type namedKey struct{ Name, Guid, Key string }

var errNoKeys = errors.New("no encryption key in it")

// AddFile adds the keys of a file in one of the forms in which people have them, which its
// content decides between them: Crypto.json and DefaultCrypto.ini of the engine, the JSON of FModel
// with mainKey and dynamicKeys, and lines of a KEY, GUID=KEY or a GUID and a KEY. One
// without any key is an error, which repeats no key.
func (r *Keyring) AddFile(b []byte) error {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	list, err := keysOf(b)
	added := false
	for _, k := range list {
		if err != nil {
			break
		}
		if strings.Trim(strings.TrimPrefix(k.Key, "0x"), "0") == "" {
			continue // none was set
		}
		added = true
		err = r.addNamed(k)
	}
	if err == nil && !added {
		err = errNoKeys
	}
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}

func (r *Keyring) addNamed(k namedKey) error {
	key, err := aes256.ParseKey(k.Key)
	if err != nil {
		return fmt.Errorf("%q: %w", k.Name, err)
	}
	if k.Guid == "" {
		return r.put(unreal.GUID{}, key)
	}
	id, err := unreal.ParseGUID(k.Guid)
	if err != nil {
		return fmt.Errorf("%q: %w", k.Name, err)
	}
	return r.put(id, key)
}

// keysOf returns the keys of a file.
func keysOf(b []byte) (list []namedKey, err error) {
	text := strings.TrimSpace(string(b))
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "[{"):
		var doc any
		if err := json.Unmarshal(b, &doc); err != nil {
			return nil, err
		}
		return jsonKeys(doc, 0), nil
	case strings.Contains(text, "EncryptionKey") || strings.HasPrefix(text, "[/Script/"):
		return iniKeys(text), nil
	}
	return lineKeys(text)
}

// maxKeyDepth bounds how deep the keys of a JSON are: those of FModel are below the folder
// of a game.
const maxKeyDepth = 16

// jsonKeys returns the keys of a Crypto.json or of FModel's, wherever in the document they
// are.
func jsonKeys(doc any, depth int) (list []namedKey) {
	if depth > maxKeyDepth {
		return nil
	}
	switch doc := doc.(type) {
	case []any:
		for _, v := range doc {
			list = append(list, jsonKeys(v, depth+1)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(doc)) {
			v := doc[name]
			switch strings.ToLower(name) {
			case "encryptionkey":
				// the main key, under no GUID and its own
				if k := jsonKey("", v); k.Key != "" {
					list = append(list, namedKey{Name: k.Name, Key: k.Key}, k)
				}
			case "mainkey":
				list = append(list, jsonKey(name, v))
			case "secondaryencryptionkeys", "dynamickeys":
				list = append(list, jsonList(v)...)
			default:
				list = append(list, jsonKeys(v, depth+1)...)
			}
		}
	}
	return list
}

// jsonList returns keys out of a list of objects, or an object of keys by name.
func jsonList(v any) (list []namedKey) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			list = append(list, jsonKey("", e))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, jsonKey(name, v[name]))
		}
	}
	return list
}

// jsonKey returns the key that is a text, or an object with name, guid and key.
func jsonKey(name string, v any) namedKey {
	k := namedKey{Name: name}
	switch v := v.(type) {
	case string:
		k.Key = v
	case map[string]any:
		for field, text := range v {
			s, _ := text.(string)
			switch strings.ToLower(field) {
			case "name":
				k.Name = s
			case "guid":
				k.Guid = s
			case "key":
				k.Key = s
			}
		}
	}
	return k
}

// iniKeys returns the keys of a DefaultCrypto.ini: a main key in base64, and others in
// parentheses.
func iniKeys(text string) (list []namedKey) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.TrimSpace(value)
		switch strings.TrimLeft(strings.TrimSpace(name), "+.") {
		case "EncryptionKey":
			list = append(list, namedKey{Name: "EncryptionKey", Key: strings.Trim(value, `"`)})
		case "SecondaryEncryptionKeys":
			value = strings.TrimSuffix(strings.TrimPrefix(value, "("), ")")
			var k namedKey
			for field := range strings.SplitSeq(value, ",") {
				name, text, _ := strings.Cut(field, "=")
				text = strings.Trim(strings.TrimSpace(text), `"`)
				switch strings.TrimSpace(name) {
				case "Guid":
					k.Guid = text
				case "Name":
					k.Name = text
				case "Key":
					k.Key = text
				}
			}
			list = append(list, k)
		}
	}
	return list
}

// lineKeys returns the keys of a list of lines. Comments begin with #, ; or two slashes.
func lineKeys(text string) (list []namedKey, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "//") {
			continue
		}
		k := namedKey{Name: fmt.Sprintf("line %d", n), Key: line}
		for _, sign := range []string{"=", ":", " ", "\t"} {
			before, after, ok := strings.Cut(line, sign)
			if _, err := unreal.ParseGUID(before); ok && err == nil {
				k.Guid, k.Key = before, strings.TrimSpace(after)
				break
			}
		}
		if _, err := aes256.ParseKey(k.Key); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		list = append(list, k)
	}
	return list, nil
}
