import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Settings of a primary that a standby follows. The embedded server has no standbys by default. */
export const STREAMING = { wal_level: 'replica', max_wal_senders: '2' } as const;

/**
 * Copies the data folder of a stopped Postgres server as that of a standby, which receives and replays the log of its primary.
 * @param primaryUrl connection URL of the owner at the primary, also while the standby runs
 */
export async function copyAsStandby(primary: string, standby: string, primaryUrl: string): Promise<void> {
  await cp(primary, standby, { recursive: true, dereference: true, preserveTimestamps: true });
  const { hostname, port, username, password } = new URL(primaryUrl);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await appendFile(join(standby, 'postgres', 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await writeFile(join(standby, 'postgres', 'standby.signal'), '');
}
