import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import type { MachineLoad } from './processes/process-cpu';

/** Median and extremes of repeated measurements. */
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
  /** Target in docs/development/benchmarks.md. Absent for figures without a target. */
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

/** Returns a Markdown table that is also readable on a terminal. */
function table(rows: readonly Row[]): string {
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
  const widths = cells[0]!.map((_, column) => Math.max(4, ...cells.map((line) => line[column]!.length)));
  const isText = (column: number) => column === 0 || column === 5;
  const lines = cells.map((line) =>
    line.map((cell, column) => (isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))),
  );
  const rule = widths.map((width, column) => (isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [lines[0]!, rule, ...lines.slice(1)].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

/** Share of the cores above which other programs count as load. A quiet machine uses 1 to 2 %. */
const QUIET = 0.05;
/** Load average at the start above which a machine counts as loaded. Containers do not show the programs of others. */
const QUIET_LOAD = 0.5;

/** Returns the load of the machine as text. A figure counts as measured without other load only when this says so. */
export function loadText({ atStart, atEnd, ofOthers }: MachineLoad): string {
  const isQuiet = atStart < QUIET_LOAD && (ofOthers ?? 0) < QUIET;
  const used = ofOthers === null ? '' : `, other programs used ${(100 * ofOthers).toFixed(0)} % of the cores`;
  const label = isQuiet ? 'without other load' : 'BESIDE OTHER LOAD';
  return `${label} (load average ${atStart.toFixed(1)} at the start, ${atEnd.toFixed(1)} at the end${used})`;
}

/** Prints the results and writes them to out/bench/<name>.json and out/bench/<name>.md. */
export async function report(name: string, rows: readonly Row[], settings: object, load: MachineLoad): Promise<void> {
  const options = Object.entries(settings).flatMap(([option, value]) => (value === '' ? [] : `${option} ${value}`));
  const on = `${machine()}, ${loadText(load)}`;
  const text = `${new Date().toISOString().slice(0, 10)}, ${on}; ${options.join(', ')}\n\n${table(rows)}`;
  process.stdout.write(`\n${name}: ${text}`);
  await writeResult(name, { machine: machine(), load, settings, rows });
  await writeFile(join(resultsFolder(), `${name}.md`), text);
}

const resultsFolder = () => join(projectRoot(), 'out', 'bench');

/** Writes a result as JSON to out/bench/<name>.json. */
export async function writeResult(name: string, result: object): Promise<void> {
  await mkdir(resultsFolder(), { recursive: true });
  const dated = { name, at: new Date().toISOString(), ...result };
  await writeFile(join(resultsFolder(), `${name}.json`), `${JSON.stringify(dated, null, 2)}\n`);
}
