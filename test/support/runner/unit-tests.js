const { importsOfTest } = require('./imports');

/** Modules that start servers, or need those of global-setup.ts. */
const SERVERS = ['test/support/servers.ts', 'sandbox/index.ts', 'test/src/platform/objects/s3-server.ts'];

/** Filter of `npm run test:unit`: keeps the test files that need no server. */
module.exports = async (paths) => ({
  filtered: paths.filter((path) => {
    const imports = importsOfTest(path);
    return !SERVERS.some((module) => imports.has(module));
  }),
});
