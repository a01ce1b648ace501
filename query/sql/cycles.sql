-- doc: entries that refer to each other in circles, one row per entry and circle
-- param: kinds text '' only references of these kinds, comma-separated; '' is all but declared_by and default, which lead in circles by design
-- param: build build newest label of the build
-- example: pakdb query @cycles
-- example: pakdb query @cycles parent,blueprint_parent
SELECT c.key + 1 AS cycle, json_array_length(c.value) AS entries, p.value AS path
FROM json_each(graph_cycles(:build, :kinds)) c
JOIN json_each(c.value) p
ORDER BY cycle, path;
