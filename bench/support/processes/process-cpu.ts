import { readdir, readFile } from 'node:fs/promises';
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

/** Returns the CPU time of a process and of all its children, running and ended, in milliseconds. Linux only. */
export async function cpuOfFamily(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const stats = await Promise.all(pids.map((each) => statOf(each).catch(() => undefined)));
  const children = stats.filter((stat) => stat !== undefined && stat[PARENT] === pid) as number[][];
  return children.reduce(
    (sum, stat) => sum + msOf(stat, USER_AND_SYSTEM),
    msOf(await statOf(pid), [...USER_AND_SYSTEM, ...OF_ENDED_CHILDREN]),
  );
}

/** Returns the process id of the Postgres server, which is the parent of its connections' processes. */
export async function postgresPid(sql: Sql): Promise<number> {
  const [row] = await sql<{ dataDirectory: string }[]>`SHOW data_directory`;
  return Number((await readFile(join(row!.dataDirectory, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}
