-- doc: functions of blueprints that no function of the build calls, by path or by name; events, and what the engine or assets call, are among them
-- param: build build newest label of the build
-- param: limit integer 200 how many, the longest first
-- example: pakdb query @unused-functions
WITH called AS MATERIALIZED (
    SELECT DISTINCT substr(callee_name, instr(callee_name, ':') + 1) AS name
    FROM calls
    WHERE build = :build
)
SELECT package, function, statements, tokens, path
FROM functions
WHERE build = :build AND class = 'Function' AND tokens > 3 AND function NOT LIKE '%:ExecuteUbergraph!_%' ESCAPE '!'
    AND substr(function, instr(function, ':') + 1) COLLATE NOCASE NOT IN (SELECT name FROM called)
ORDER BY tokens DESC, package, function
LIMIT :limit;
