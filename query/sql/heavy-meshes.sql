-- doc: meshes of a build with the most triangles, as its asset registry counts them
-- param: limit integer 50 how many
-- param: build build newest label of the build
-- example: pakdb query @heavy-meshes
SELECT triangles, vertices, lods, materials, nanite_triangles, package
FROM meshes
WHERE build = :build
ORDER BY triangles DESC, package
LIMIT :limit;
