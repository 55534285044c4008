const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/runner/environment.ts',
  runtime: '<rootDir>/test/support/runner/runtime.js',
  // The export conditions that Node uses for require().
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  moduleNameMapper: { '^supertest$': '<rootDir>/test/support/runner/supertest.js' },
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
  transformIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
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
