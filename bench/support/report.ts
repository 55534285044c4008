import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Middle and extremes of repeated measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly value: Spread;
  /** What docs/benchmarks.md aims at; absent for figures that are only of interest. */
  readonly target?: { readonly value: number; readonly atLeast: boolean };
}

const shown = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

function verdict({ value, target }: Row): string {
  if (target === undefined) return '';
  const met = target.atLeast ? value.median >= target.value : value.median <= target.value;
  return `${target.atLeast ? '>=' : '<='} ${target.value}: ${met ? 'met' : 'missed'}`;
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} x ${cpu?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}, Node ${process.version}`;
}

/** Prints a table and writes the same as JSON to out/bench/<name>.json. */
export async function report(name: string, rows: readonly Row[], settings: object): Promise<void> {
  const cells = [
    ['', 'unit', 'median', 'min', 'max', 'target'],
    ...rows.map((row) => [
      row.what,
      row.unit,
      shown(row.value.median),
      shown(row.value.min),
      shown(row.value.max),
      verdict(row),
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  process.stdout.write(`\n${name} on ${machine()}\n${JSON.stringify(settings)}\n\n`);
  for (const line of cells) {
    process.stdout.write(
      `${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')}\n`,
    );
  }
  await writeResult(name, { machine: machine(), settings, rows });
}

/** Writes a result as JSON to out/bench/<name>.json. */
export async function writeResult(name: string, result: object): Promise<void> {
  const folder = join(projectRoot(), 'out', 'bench');
  await mkdir(folder, { recursive: true });
  const dated = { name, at: new Date().toISOString(), ...result };
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(dated, null, 2)}\n`);
}
