// Answers the part of ClickHouse's HTTP interface that pakdb uses, by the engine in the
// process (npm package chdb). It is no server of ClickHouse: it has no users, no quotas
// and no replicas, and answers one request after the other.
// Use: node clickhouse.js DIR; it prints its port.
const { Session } = require('chdb');
const http = require('http');
const fs = require('fs');
const path = require('path');

const dir = process.argv[2];
const session = new Session(path.join(dir, 'data'));
const quote = (text) => "'" + text.replace(/\\/g, '\\\\').replace(/'/g, "\\'") + "'";
// What a request says beside settings that the engine knows.
const own = new Set(['database', 'query', 'default_format', 'readonly', 'wait_end_of_query', 'max_execution_time']);
let files = 0;

function answer(url, body) {
  const params = [...url.searchParams];
  let sql = url.searchParams.get('query') ?? body.toString();
  session.query(`CREATE DATABASE IF NOT EXISTS ${url.searchParams.get('database')}`);
  session.query(`USE ${url.searchParams.get('database')}`);
  const settings = [];
  for (const [key, value] of params) {
    if (key.startsWith('param_')) {
      session.query(`SET ${key} = ${quote(value)}`);
    } else if (!own.has(key)) {
      settings.push(`${key} = ${quote(value)}`);
    }
  }
  if (url.searchParams.get('readonly') && !/^\s*(SELECT|WITH)\b/i.test(sql.replace(/^(\s*--.*\n)+/, ''))) {
    throw new Error('Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)');
  }
  let file;
  if (url.searchParams.get('query')) { // rows are sent
    const [, head, structure, format] = sql.match(/^([^]*)input\('([^']*)'\) FORMAT (\w+)$/);
    file = path.join(dir, `sent-${files++}`);
    fs.writeFileSync(file, body);
    sql = `${head}file(${quote(file)}, '${format}', '${structure}')`;
  }
  sql = sql.replace(/[\s;]+$/, '');
  let format = url.searchParams.get('default_format') ?? 'TabSeparated';
  sql = sql.replace(/\s+FORMAT (\w+)$/, (_, name) => { format = name; return ''; });
  if (settings.length > 0 && /^\s*(SELECT|WITH|INSERT|--)/i.test(sql)) {
    sql += `\nSETTINGS ${settings.join(', ')}`;
  }
  try {
    return session.query(sql, format);
  } finally {
    if (file) fs.unlinkSync(file);
  }
}

http.createServer((req, res) => {
  const parts = [];
  req.on('data', (part) => parts.push(part));
  req.on('aborted', () => { parts.length = 0; });
  req.on('end', () => {
    try {
      res.end(answer(new URL(req.url, 'http://localhost'), Buffer.concat(parts)));
    } catch (e) {
      const code = /Code: (\d+)/.exec(e.message);
      const status = { 60: 404, 81: 404, 164: 403 }[code?.[1]] ?? 400; // as a server has it
      res.writeHead(status, { 'X-ClickHouse-Exception-Code': code ? code[1] : '0' });
      res.end(e.message.replace(/^Query failed: /, ''));
    }
  });
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
