// Runs one statement on a database of DuckDB and prints a row of a table for
// docs/bench_catalog.sh: wall and CPU seconds of the statement, and the largest memory of the
// process in MB. node docs/bench_catalog.js FILE STATEMENT
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(process.argv[2])).connect();
  const start = process.hrtime.bigint();
  const before = process.cpuUsage();
  await (await connection.run(process.argv[3])).getRows();
  const { user, system } = process.cpuUsage(before);
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${wall.toFixed(3)} | ${((user + system) / 1e6).toFixed(3)} | ${megabytes}`);
})();
