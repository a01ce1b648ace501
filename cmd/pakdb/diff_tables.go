package main

import (
	"pakdb/diff"
	"pakdb/query"
)

// diffTables are the SQL functions that compare builds.
func diffTables(catalog string) (tables []query.TableFunction, closeTables func() error) {
	docs := map[string]string{
		"diff":           "what changed between two builds, a row a change, as pakdb diff shows it",
		"diff_files":     "the same, the files of an Unreal asset one by one",
		"diff_downloads": "what the update takes, by ways of transport",
		"diff_fields":    "what changed inside: fields, points and references, a row each",
	}
	all, closeTables := diff.Tables(catalog)
	for _, t := range all {
		tables = append(tables, query.TableFunction{TableFunction: t, Doc: docs[t.Name]})
	}
	return tables, closeTables
}
