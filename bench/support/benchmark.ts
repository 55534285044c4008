import { Command, InvalidArgumentError, Option } from 'commander';
import { observeLoad } from './processes/process-cpu';
import { type Row, report, type Spread, spreadOf } from './report';

/** Options by name, each with its default and its meaning. `atOnce` is `--at-once` on the command line. */
type Options = Readonly<Record<string, readonly [value: number | string, meaning: string]>>;
type Settings<Of extends Options> = {
  readonly [Name in keyof Of]: Of[Name][0] extends number ? number : string;
};

export interface Benchmark<Of extends Options> {
  /** Name of the result files in out/bench. */
  readonly name: string;
  readonly options: Of;
  readonly measure: (settings: Settings<Of>) => Promise<readonly Row[]>;
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number of at least 1');
  return count;
}

/** Runs a benchmark as a command: parses options, measures, reports, and exits with `process.exitCode`. */
export function runBenchmark<const Of extends Options>({ name, options, measure }: Benchmark<Of>): void {
  const command = new Command(name);
  for (const [option, [value, meaning]] of Object.entries(options)) {
    const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const added = new Option(`--${flag} <${typeof value === 'number' ? 'count' : 'name'}>`, meaning).default(value);
    command.addOption(typeof value === 'number' ? added.argParser(countOf) : added);
  }
  const settings = command.parse().opts<Settings<Of>>();
  // An exit ends the servers that this process started. The default action of a signal does not.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const measured = async () => {
    const load = await observeLoad();
    const rows = await measure(settings);
    await report(name, rows, settings, await load());
  };
  measured().then(
    () => process.exit(),
    (error: unknown) => {
      process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
      process.exit(1);
    },
  );
}

/**
 * Measures each contestant once per round, so that a slow minute of the machine affects all of them, and in turn from the first and
 * from the last.
 * @param contestants functions that return a measurement in `unit`
 */
export async function alternate<Name extends string>(
  rounds: number,
  unit: string,
  contestants: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of round % 2 === 1 ? names : names.toReversed()) measured[name].push(await contestants[name]());
    const shown = names.map((name) => `${name} ${measured[name].at(-1)!.toPrecision(3)}`);
    process.stderr.write(`round ${round} of ${rounds}: ${shown.join(', ')} (${unit})\n`);
  }
  return measured;
}

/** Returns the spread of the ratios of each round. Only measurements of the same round are compared. */
export function ratioOf(mine: readonly number[], baseline: readonly number[]): Spread {
  return spreadOf(mine.map((value, round) => value / baseline[round]!));
}
