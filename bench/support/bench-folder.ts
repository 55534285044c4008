import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `measure` with an empty data folder and removes it afterwards. */
export async function withBenchFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-bench-'));
  try {
    // When root runs this, servers run as the user `postgres`, which must be able to enter the folder.
    await chmod(folder, 0o755);
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
