const { execFileSync } = require('node:child_process');

/** Modules that start servers, or need those of global-setup.ts. */
const SERVERS = ['test/support/servers.ts', 'sandbox/index.ts', 'test/src/platform/objects/s3-server.ts'];

/** Filter of `npm run test:unit`: keeps the test files that need no server. */
module.exports = async (paths) => {
  const arguments_ = ['--listTests', '--findRelatedTests', ...SERVERS];
  const listed = execFileSync('jest', arguments_, { encoding: 'utf8' }).split('\n');
  return { filtered: paths.filter((path) => !listed.includes(path)) };
};
