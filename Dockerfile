# One node of Lineup. Settings come as environment variables, secrets as files: see docs/operating.md and docs/scaling.md.
#
# Not run where it was written, which had no container engine and no registry of images; everything in it that can be tried without one
# (the install script, the command, the readiness check) is what npm start and the tests use.

FROM node:26-bookworm-slim AS installed
WORKDIR /lineup
COPY package.json package-lock.json ./
COPY api/package.json api/
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY sdk/package.json sdk/
COPY bench/package.json bench/
COPY scripts/ensure-installed.mjs scripts/
COPY server/bin server/bin
RUN node scripts/ensure-installed.mjs
COPY api api
COPY tsconfig.json ./
COPY scripts/ensure-built.mjs scripts/
COPY dashboard dashboard
# What the dashboard was built of need not be there to be served; nor the Node that Lineup brings, on a machine that has it.
RUN node scripts/ensure-built.mjs && find dashboard -mindepth 1 -maxdepth 1 ! -name dist ! -name package.json -exec rm -rf {} + \
  && rm -rf node_modules/node node_modules/.bin/node
COPY server/src server/src

FROM node:26-bookworm-slim
WORKDIR /lineup
COPY --from=installed /lineup ./
# The embedded store, where no database is named, and the counted requests, where no Redis is.
RUN mkdir --mode=700 /data && chown node:node /data
VOLUME /data
ENV LINEUP_DATA_DIR=/data LINEUP_DRAIN_MS=5000
USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const { LINEUP_TLS_CERT, LINEUP_PORT, PORT } = process.env; require(LINEUP_TLS_CERT ? 'https' : 'http').get({ host: '127.0.0.1', port: LINEUP_PORT || PORT || 3000, path: '/readyz', rejectUnauthorized: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The server itself is the container's process, so that it hears SIGTERM and drains.
CMD ["node", "server/bin/lineup.mjs", "serve"]
