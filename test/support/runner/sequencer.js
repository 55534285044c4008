const { default: Sequencer } = require('@jest/test-sequencer');
const { importsOfTest } = require('./imports');

/** Helpers of tests that use the cores for long: they start programs with servers of their own, or a browser. */
const BUSY = ['test/cli/stack-process.ts', 'test/support/browser.ts'];
/** Helpers of tests that wait for long: for workflows, deadlines and retries. */
const WAITING = ['test/support/stack.ts', 'test/support/scripted-runs.ts', 'sandbox/index.ts'];

/** Spreads the shorter lists evenly over the longest one. Keeps the order of each list. */
const spread = (...lists) =>
  lists
    .flatMap((list) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/**
 * Starts the slow test files first, so that no worker runs one alone at the end, and mixes those that use the cores with those
 * that wait. Only the fast half of the others comes last: with all of them there, the cores were idle for a fifth of the time
 * before, and then too few for every worker. A clean clone knows no durations, and jest would order its files by size.
 */
module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const busy = [];
    const waiting = [];
    const others = [];
    // Within each list, by the last duration or else by size.
    for (const test of super.sort(tests)) {
      const imports = importsOfTest(test.path);
      const uses = (helpers) => helpers.some((module) => imports.has(module));
      (uses(BUSY) ? busy : uses(WAITING) ? waiting : others).push(test);
    }
    const slower = others.splice(0, others.length / 2);
    return [...spread(busy, waiting, slower), ...others];
  }
};
