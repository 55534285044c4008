const { default: Sequencer } = require('@jest/test-sequencer');
const { importsOfTest } = require('./imports');

/** Helpers whose tests take longest, longest first: programs with servers of their own, a browser, a complete stack. */
const SLOW = ['test/cli/stack-process.ts', 'test/support/browser.ts', 'test/support/stack.ts', 'sandbox/index.ts'];

/**
 * Starts slow test files first, so that no worker runs one alone at the end. A clean clone knows no durations, and jest
 * would order its files by size.
 */
module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const rank = new Map(
      tests.map(({ path }) => {
        const imports = importsOfTest(path);
        const helper = SLOW.findIndex((module) => imports.has(module));
        return [path, helper === -1 ? SLOW.length : helper];
      }),
    );
    // Within a rank, by the last duration or else by size.
    return super.sort(tests).sort((a, b) => rank.get(a.path) - rank.get(b.path));
  }
};
