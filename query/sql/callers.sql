-- doc: functions of the build that call a function: its path, or the end of it after a point or colon
-- param: function text - "/Script/Engine.Actor:K2_DestroyActor", "K2_DestroyActor"
-- param: build build newest label of the build
-- example: pakdb query @callers /Script/Engine.GameplayStatics:SaveGameToSlot
-- example: pakdb query @callers K2_DestroyActor --build 1.2
SELECT package, function, event, callee, kind, count, path
FROM calls
WHERE build = :build
    AND callee_id IN (SELECT name_id
                      FROM x_name
                      WHERE name = :function COLLATE NOCASE OR name LIKE '%:' || :function OR name LIKE '%.' || :function)
ORDER BY package, function, event, callee;
