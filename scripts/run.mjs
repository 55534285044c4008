/**
 * Runs a command of commands.json, or a benchmark, with the given options.
 *
 *   npm run bench -- NAME [options]     a file of bench/
 *   npm run check [-- NAME]             types, lint and dependency rules, or a check that takes long or needs other tools
 *   npm run pack -- NAME                writes a package to out/
 *   npm run release -- NAME             a step of docs/development/releases.md
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = import.meta.dirname;
const benchmarks = readdirSync(join(folder, '../bench')).filter((file) => file.endsWith('.ts'));
const COMMANDS = {
  ...JSON.parse(readFileSync(join(folder, 'commands.json'), 'utf8')),
  bench: Object.fromEntries(
    benchmarks.map((file) => {
      const name = basename(file, '.ts');
      return [name, `npm run --silent build && tsc -p bench/tsconfig.build.json && node dist/bench/${name}.js`];
    }),
  ),
};

const [group, name = 'default', ...options] = process.argv.slice(2);
const command = COMMANDS[group][name];
if (command === undefined) {
  const names = Object.keys(COMMANDS[group]).filter((each) => each !== 'default');
  console.error(`Usage: npm run ${group} -- NAME [options], where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 2;
} else {
  const { status } = spawnSync('sh', ['-c', `${command} "$@"`, 'sh', ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
