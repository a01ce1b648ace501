-- doc: functions of the program that code of the build calls: how often, and from how many functions
-- param: build build newest label of the build
-- param: limit integer 50 how many
-- example: pakdb query @native-calls
SELECT callee, sum(count) AS calls, count(DISTINCT package || '.' || function) AS functions, count(DISTINCT path) AS packages
FROM calls
WHERE build = :build AND (callee_name LIKE '/Script/%' OR kind = 'native')
GROUP BY callee
ORDER BY calls DESC, callee
LIMIT :limit;
