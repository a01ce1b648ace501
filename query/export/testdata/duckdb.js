// Runs duckdb.sql of a folder of Parquet, then each statement of a JSON array on stdin,
// and prints the rows of each as JSON.
// Use: node duckdb.js DIR < statements.json
const { DuckDBInstance } = require('@duckdb/node-api');
const fs = require('fs');

(async () => {
  const statements = JSON.parse(fs.readFileSync(0, 'utf8'));
  process.chdir(process.argv[2]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(fs.readFileSync('duckdb.sql', 'utf8'));
  const results = [];
  for (const sql of statements) {
    try {
      results.push({ rows: (await connection.runAndReadAll(sql)).getRowsJson() });
    } catch (e) {
      results.push({ error: String(e) });
    }
  }
  process.stdout.write(JSON.stringify(results));
})();
