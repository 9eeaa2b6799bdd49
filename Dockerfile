# The live service: the folder that `npm run package` makes, and nothing that builds it. The base image is named exactly: a rebuild brings no
# other; to update, look up its digest and write node:<version>-slim@sha256:….

FROM node:24.21.0-slim AS build
WORKDIR /src
COPY . .
RUN node lib/server/package.mjs /package

FROM node:24.21.0-slim
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /package ./
RUN mkdir /data /signer && chown node:node /data /signer
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.mjs"]
