/**
 * Packages that exist as ES modules only and must be translated for jest's CommonJS loader. Named by the start of
 * their path; `npx jest` says "Cannot use import statement" or "Unexpected token 'export'" of one that is missing here.
 */
const ES_MODULES = [
  '@borewit',
  '@tokenizer',
  'ansi-escapes',
  'ansi-regex',
  'ansi-styles',
  'cli-cursor',
  'cli-truncate',
  'commander',
  'emoji-regex',
  'environment',
  'eventemitter3',
  'file-type',
  'get-east-asian-width',
  'is-fullwidth-code-point',
  'listr2',
  'log-update',
  'mimic-function',
  'onetime',
  'p-limit',
  'postgrator',
  'restore-cursor',
  'slice-ansi',
  'string-width',
  'strip-ansi',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'wrap-ansi',
  'yocto-queue',
];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.ts',
  // As Node itself resolves a require of a package that is an ES module only.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  // Packages (of supertest's) whose module-sync form is a .mjs file, which jest's require refuses.
  moduleNameMapper: {
    '^((?:async-|generator-|async-generator-)function)$': '<rootDir>/node_modules/$1/index.js',
  },
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})(/|-|$))`, '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testTimeout: 120_000,
  maxWorkers: 2,
};
