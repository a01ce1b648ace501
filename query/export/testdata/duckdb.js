// Runs duckdb.sql of a folder of Parquet, then the statement in each line of stdin, a text of
// JSON, and prints its rows as a line of JSON.
// Use: node duckdb.js DIR
const { DuckDBInstance } = require('@duckdb/node-api');
const fs = require('fs');
const readline = require('readline');

(async () => {
  process.chdir(process.argv[2]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(fs.readFileSync('duckdb.sql', 'utf8'));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let result;
    try {
      result = { rows: (await connection.runAndReadAll(JSON.parse(line))).getRowsJson() };
    } catch (e) {
      result = { error: String(e) };
    }
    console.log(JSON.stringify(result));
  }
})();
