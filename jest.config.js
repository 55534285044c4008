const { availableParallelism, totalmem } = require('node:os');
const { join } = require('node:path');

// Jest workers and the programs that tests start share compiled packages.
process.env.NODE_COMPILE_CACHE ??= join(__dirname, 'node_modules/.cache/pressline/compiled');

// The workers get these options. Where every core has a worker, threads for garbage collection save no time: the threads beside
// the main one took 22 % of a worker's CPU time, and 13 % with this option.
process.execArgv.push('--single-threaded-gc');

// Each worker may fill a sixteenth of the memory before V8 looks for garbage outside its new space. It would look each time that a
// heap of some 50 MB has grown by half, mostly while packages are loaded, which stay. This saved 7 % of a worker's CPU time.
const HEAP_SHARE = 1 / 16;
process.execArgv.push(`--initial-old-space-size=${Math.floor((totalmem() / 2 ** 20) * HEAP_SHARE)}`);

// A new space of this size is cleared less often, and moves less to the old space. It saved a third of the time of garbage
// collection, and with it 5 to 9 % of a worker's CPU time.
const NEW_SPACE_MB = Math.min(64, Math.floor(totalmem() / 2 ** 28));
process.execArgv.push(`--min-semi-space-size=${NEW_SPACE_MB}`, `--max-semi-space-size=${NEW_SPACE_MB}`);

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/runner/environment.js',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  roots: ['<rootDir>/test', '<rootDir>/bench/test', '<rootDir>/kits', '<rootDir>/packages', '<rootDir>/sandbox/test'],
  // CONTRIBUTING.md says what belongs to `npm run test:slow`.
  testMatch: [process.env.SLOW_TESTS ? '**/*.slow.test.ts' : '**/!(*.slow).test.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/runner/setup.ts'],
  globalSetup: '<rootDir>/test/support/runner/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/runner/global-teardown.ts',
  transform: {
    '\\.test\\.ts$': '<rootDir>/test/support/runner/transform.js',
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Ends a test or hook that hangs.
  testTimeout: 180_000,
  // More than cores, because tests wait for deadlines and for other processes. On two cores, six workers took 718 s where eight
  // took 788 s. The test Postgres has connections for twelve.
  maxWorkers: Math.min(availableParallelism() + 4, 12),
  // A worker keeps what test files have loaded. With gigabytes of it, garbage collection takes much of its time.
  workerIdleMemoryLimit: 2 * HEAP_SHARE,
};
