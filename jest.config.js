const { existsSync, readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const json = (path) => JSON.parse(readFileSync(join(__dirname, path), 'utf8'));

/**
 * The installed packages whose files are ES modules, as paths from the project's root. Jest compiles them to CommonJS: it can
 * require an ES module only under --experimental-vm-modules.
 */
const compiled = Object.keys(json('package-lock.json').packages).filter(
  (path) =>
    path !== '' &&
    existsSync(join(__dirname, path, 'package.json')) &&
    json(join(path, 'package.json')).type === 'module',
);

// Loads parts of itself with import(), which jest cannot run either.
compiled.push('node_modules/@opentelemetry/otlp-exporter-base');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/runner/environment.ts',
  // The export conditions that Node uses for require().
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  moduleNameMapper: {
    '^supertest$': '<rootDir>/test/support/runner/supertest.js',
    // Packages used by supertest whose module-sync export is a .mjs file, which jest cannot require.
    '^((?:async-|generator-|async-generator-)function)$': '<rootDir>/node_modules/$1/index.js',
  },
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/runner/setup.ts'],
  globalSetup: '<rootDir>/test/support/runner/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/runner/global-teardown.ts',
  transform: {
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`^(?!.*/(${compiled.join('|')})/(?!.*/node_modules/)).*/node_modules/`, '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // For unit tests. test/support/servers.ts sets more for tests that use servers, other files set it themselves.
  testTimeout: 5_000,
  // More than cores, because tests wait for deadlines and for other processes: with one worker for each of two cores, the
  // cores were idle for 60 % of the time. The test Postgres has connections for twelve.
  maxWorkers: Math.min(availableParallelism() + 2, 12),
  testSequencer: '<rootDir>/test/support/runner/sequencer.js',
  reporters: ['default', '<rootDir>/test/support/runner/slowest-files.js'],
  // A worker keeps what test files have loaded. With gigabytes of it, garbage collection takes much of its time.
  workerIdleMemoryLimit: '1500MB',
};
