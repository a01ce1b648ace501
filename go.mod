module pakdb

go 1.26
