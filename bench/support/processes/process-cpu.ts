import { readdir, readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Sql } from '../../../src/platform/postgres';

/** Clock ticks per second in /proc, which is 100 on every Linux architecture that Node.js supports. */
const TICKS_PER_SECOND = 100;

/** Returns the numbers of /proc/<pid>/stat after the process name, which may contain spaces. */
async function statOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** Positions in the result of `statOf`, which begins with field 3 of proc(5). */
const PARENT = 1;
const USER_AND_SYSTEM = [11, 12];
const OF_ENDED_CHILDREN = [13, 14];

const msOf = (stat: readonly number[], fields: readonly number[]) =>
  fields.reduce((sum, field) => sum + stat[field]!, 0) * (1_000 / TICKS_PER_SECOND);

/** Returns the CPU time that a process has used, in milliseconds, with a precision of 10 ms. Linux only. */
export async function cpuOfProcess(pid: number): Promise<number> {
  return msOf(await statOf(pid), USER_AND_SYSTEM);
}

/** Returns the CPU time of the ended children of a process, in milliseconds. Linux only. */
export async function cpuOfEndedChildren(pid: number): Promise<number> {
  return msOf(await statOf(pid), OF_ENDED_CHILDREN);
}

/** A running child of a process. */
interface Child {
  readonly pid: number;
  readonly args: readonly string[];
  readonly cpuMs: number;
}

/** Returns the running children of a process. Linux only. */
export async function childrenOf(pid: number): Promise<Child[]> {
  const children: Child[] = [];
  for (const { pid: each, stat } of await processes()) {
    if (stat[PARENT] !== pid) continue;
    const args = (await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')).split('\0');
    children.push({ pid: each, args, cpuMs: msOf(stat, USER_AND_SYSTEM) });
  }
  return children;
}

async function processes(): Promise<{ readonly pid: number; readonly stat: readonly number[] }[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const read = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid).catch(() => undefined) })));
  return read.flatMap(({ pid, stat }) => (stat === undefined ? [] : [{ pid, stat }]));
}

/** Returns the CPU time of a process and of all its children, running and ended, in milliseconds. Linux only. */
export async function cpuOfFamily(pid: number): Promise<number> {
  const running = (await childrenOf(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return running + (await cpuOfProcess(pid)) + (await cpuOfEndedChildren(pid));
}

/** CPU time of all processes that are neither this one nor descend from it, by process id, in milliseconds. */
type CpuOfOthers = ReadonlyMap<number, number>;

async function cpuOfOthers(): Promise<CpuOfOthers> {
  const all = await processes();
  const parents = new Map(all.map(({ pid, stat }) => [pid, stat[PARENT]!]));
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  return new Map(
    all
      .filter(({ pid }) => !isOurs(pid))
      .map(({ pid, stat }) => [pid, msOf(stat, [...USER_AND_SYSTEM, ...OF_ENDED_CHILDREN])]),
  );
}

/** The load of the machine while something runs. */
export interface MachineLoad {
  /** Load average of a minute, at the start and at the end. */
  readonly atStart: number;
  readonly atEnd: number;
  /** Share of all cores that other programs used meanwhile, 0 to 1. Null where it cannot be read. */
  readonly ofOthers: number | null;
}

/** Begins to observe the load of the machine. @returns the function that ends the observation */
export async function observeLoad(): Promise<() => Promise<MachineLoad>> {
  const [atStart, began] = [loadavg()[0]!, Date.now()];
  const before = await cpuOfOthers().catch(() => null);
  return async () => {
    const after = await cpuOfOthers().catch(() => null);
    const atEnd = loadavg()[0]!;
    if (before === null || after === null) return { atStart, atEnd, ofOthers: null };
    const used = [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
    return { atStart, atEnd, ofOthers: used / (Date.now() - began) / cpus().length };
  };
}

/** Returns the process id of the Postgres server, which is the parent of its connections' processes. */
export async function postgresPid(sql: Sql): Promise<number> {
  const [row] = await sql<{ dataDirectory: string }[]>`SHOW data_directory`;
  return Number((await readFile(join(row!.dataDirectory, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}
