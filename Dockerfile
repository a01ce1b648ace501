# An image of the two programs and nothing else, from the folders that are unpacked
# from the archives of a release:
#
#	scripts/release 0.1.0 linux/amd64
#	tar -xzf dist/0.1.0/pakdb-0.1.0-linux-amd64.tar.gz
#	docker build -f Dockerfile -t pakdb --build-arg DIR=pakdb-0.1.0-linux-amd64 .
#	docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" pakdb ls Game.pak
#
# The image has no certificates: for an update by https add
# -v /etc/ssl/certs:/etc/ssl/certs:ro. Temporary files are in /data.
FROM scratch
ARG DIR
COPY ${DIR}/pakdb ${DIR}/pakdb-apply ${DIR}/pakdb-update /bin/
COPY ${DIR}/LICENSE ${DIR}/NOTICE ${DIR}/THIRD-PARTY.txt /licenses/
ENV PATH=/bin TMPDIR=/data
WORKDIR /data
ENTRYPOINT ["/bin/pakdb"]
