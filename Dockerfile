# PostgreSQL of Debian with kg_graph, and kgctl, from the packages of scripts/deb.
#
#   docker build -t kg_graph .
#   docker run -p 5432:5432 -e POSTGRES_PASSWORD=... -v data:/var/lib/postgresql kg_graph
#
# BASE may be another image of Debian 12.  npm is only fetched where `make explorer`
# has not built the explorer's page before.
ARG BASE=debian:bookworm-slim

FROM $BASE AS build
COPY . /src
RUN apt-get update \
 && { [ -e /src/explorer/kg_graph.explorer.html ] || apt-get install -y --no-install-recommends npm; } \
 && KG_DIST=/debs /src/scripts/deb

FROM $BASE
COPY --from=build /debs/*.deb /tmp/debs/
RUN apt-get update \
 && apt-get install -y --no-install-recommends postgresql-common \
 && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
 && apt-get install -y --no-install-recommends postgresql-15 \
      /tmp/debs/postgresql-15-kg-graph_*.deb /tmp/debs/kgctl_*.deb \
 && rm -rf /tmp/debs /var/lib/apt/lists/*
COPY scripts/docker_entrypoint /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
VOLUME /var/lib/postgresql
EXPOSE 5432
STOPSIGNAL SIGINT
USER postgres
ENTRYPOINT ["docker_entrypoint"]
