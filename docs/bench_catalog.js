// Runs one statement on a database of DuckDB and prints how many seconds it took, for
// docs/bench_catalog.sh: node docs/bench_catalog.js FILE STATEMENT
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(process.argv[2])).connect();
  const start = process.hrtime.bigint();
  await (await connection.run(process.argv[3])).getRows();
  console.log((Number(process.hrtime.bigint() - start) / 1e9).toFixed(3));
})();
