package search

import "fmt"

// Use is a column that has names which a search finds.
type Use struct {
	Number int    // in the catalog: a new column gets the next one
	Kind   string // what the name is there
	Table  string
	Column string
	OfSet  bool   // the rows belong to sets of values
	Order  string // the next column of the table's key; "" where that is no position
	Place  string // SQL for where in the content it is; t is the row
	Lines  bool   // the name is some lines of a text, of which Place is the number of the first
	Vague  bool   // says less than the others: counts where none of them has the name
}

// Part returns SQL for the part of an owner's rows that the row t is in.
func (u *Use) Part() string {
	if u.Order == "" {
		return "0"
	}
	return fmt.Sprintf("t.%s / %d", u.Order, rowsInPart)
}

// rowsInPart is how many rows, by their order, are looked through for a name.
const rowsInPart = 64

// InPart returns SQL for whether the row t is in the part that a row u of search_use says.
func (u *Use) InPart() string {
	if u.Order == "" {
		return "true"
	}
	return fmt.Sprintf("t.%s BETWEEN u.part * %d AND u.part * %[2]d + %d", u.Order, rowsInPart, rowsInPart-1)
}

// Owner returns the column that says what the rows belong to.
func (u *Use) Owner() string {
	if u.OfSet {
		return "set_id"
	}
	return "content_id"
}

// named is SQL for the text of a name.
func named(column string) string { return "(SELECT name FROM x_name WHERE name_id = t." + column + ")" }

// exported is SQL for the object that a value belongs to.
const exported = "(SELECT n.name || coalesce('_' || x.number, '') FROM x_value_export x JOIN x_name n ON n.name_id = x.object_id" +
	" WHERE x.set_id = t.set_id AND x.ordinal = t.export)"

// field is SQL for the object and the field that have a value.
var field = exported + " || '.' || coalesce(" + named("field_id") + ", " + named("name_id") + ")"

// revision is the version of the index: a catalog whose index has another one gets it
// anew. Raise it when Uses or Words change.
const revision = 4

// Uses are all such columns, in the order in which they are shown.
var Uses = []Use{
	{Number: 1, Kind: "text", Table: "x_localized_text", Column: "text_id", Order: "key_id", Place: named("namespace_id") + " || ',' || " + named("key_id")},
	{Number: 2, Kind: "text key", Table: "x_localized_text", Column: "key_id", Order: "key_id", Place: named("namespace_id")},
	{Number: 3, Kind: "setting", Table: "x_config_line", Column: "value_id", Order: "seq", Place: "'[' || " + named("section_id") + " || '] ' || " + named("key_id")},
	{Number: 4, Kind: "setting", Table: "x_config_line", Column: "key_id", Order: "seq", Place: "'[' || " + named("section_id") + " || ']'"},
	{Number: 5, Kind: "section", Table: "x_config_line", Column: "section_id", Order: "seq", Place: "NULL"},
	{Number: 25, Kind: "line", Table: "x_text_block", Column: "name_id", Order: "seq", Place: "t.line", Lines: true},
	{Number: 26, Kind: "text", Table: "x_retro_string", Column: "text_id", Order: "seq",
		Place: "(SELECT word FROM x_word WHERE word_id = t.language_id) || ',' || coalesce(" + named("key_id") + ", t.number)"},
	{Number: 27, Kind: "text key", Table: "x_retro_string", Column: "key_id", Order: "seq", Place: "(SELECT word FROM x_word WHERE word_id = t.language_id)"},
	{Number: 6, Kind: "value", Table: "x_property", Column: "text_id", OfSet: true, Order: "seq", Place: field},
	{Number: 7, Kind: "map key", Table: "x_property", Column: "key_id", OfSet: true, Order: "seq", Place: field},
	{Number: 8, Kind: "property", Table: "x_property", Column: "name_id", OfSet: true, Order: "seq", Place: exported},
	{Number: 24, Kind: "script", Table: "x_script_use", Column: "name_id", OfSet: true, Order: "seq",
		Place: exported + " || CASE WHEN t.kind < 8 THEN ' (call)' WHEN t.kind < 10 THEN ' (object)' ELSE '' END"},
	{Number: 9, Kind: "field", Table: "x_class_field", Column: "name_id", OfSet: true, Order: "seq", Place: named("type_id")},
	{Number: 10, Kind: "enum member", Table: "x_enum_member", Column: "name_id", OfSet: true, Order: "seq", Place: "t.value"},
	{Number: 11, Kind: "object", Table: "x_package_export", Column: "object_id", Order: "ordinal", Place: named("class_id")},
	{Number: 12, Kind: "asset tag", Table: "x_registry_tag", Column: "value_id", Order: "seq", Place: named("tag_id")},
	{Number: 13, Kind: "asset tag", Table: "x_registry_tag", Column: "tag_id", Order: "seq", Place: "NULL"},
	{Number: 14, Kind: "asset", Table: "x_registry_asset", Column: "object_id", Order: "seq", Place: named("package_id")},
	{Number: 15, Kind: "asset", Table: "x_registry_asset", Column: "package_id", Order: "seq", Place: named("object_id")},
	{Number: 16, Kind: "package", Table: "x_registry_package", Column: "package_id", Order: "seq", Place: "NULL"},
	{Number: 17, Kind: "script object", Table: "x_script_object", Column: "name_id", Place: "NULL"},
	{Number: 18, Kind: "symbol", Table: "x_symbol", Column: "name_id", Order: "seq", Place: "NULL", Vague: true},
	{Number: 19, Kind: "reference", Table: "x_ref", Column: "name_id", Order: "seq", Place: "NULL", Vague: true},
	{Number: 20, Kind: "name", Table: "x_package_name", Column: "name_id", Order: "ordinal", Place: "NULL", Vague: true},
	{Number: 21, Kind: "plugin", Table: "x_plugin_descriptor", Column: "name_id", Order: "seq", Place: "NULL"},
	{Number: 22, Kind: "plugin", Table: "x_plugin_descriptor", Column: "title_id", Order: "seq", Place: named("name_id")},
	{Number: 23, Kind: "plugin", Table: "x_plugin_descriptor", Column: "description_id", Order: "seq", Place: named("name_id")},
}
