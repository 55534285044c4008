const { relative } = require('node:path');

const SHOWN = 10;

/** Reporter that prints the slowest test files at the end of a run. */
module.exports = class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= SHOWN) return;
    const files = testResults
      .map(({ testFilePath, perfStats }) => ({
        path: relative(process.cwd(), testFilePath),
        seconds: perfStats.runtime / 1_000,
      }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN);
    const lines = files.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}\n`);
    process.stderr.write(`\nSlowest test files:\n${lines.join('')}`);
  }
};
