go test fuzz v1
string("a.lua")
string("local x = 1\n\n  return x\n")
