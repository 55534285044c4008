import { constants } from 'node:fs';
import { access, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomToken } from '../../../src/platform/ids';

/** Linux keeps the files of this folder in memory. */
const IN_MEMORY = '/dev/shm';
/** Every folder that `temporaryFolder` may return. */
export const TEMPORARY_FOLDERS: readonly string[] = [IN_MEMORY, tmpdir()];
/** Ten times what a run has at a time. Containers often have 64 MB. */
const NEEDED_BYTES = 4e9;

/**
 * Returns the folder for the temporary files of a test run. It is in memory where there is room and programs can run: each test
 * file has a database of a thousand files, and ext4 searches for inodes up to a second when as many files were deleted just before.
 */
export async function temporaryFolder(): Promise<string> {
  const program = join(IN_MEMORY, `pressline-${randomToken(8)}`);
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return tmpdir();
    await writeFile(program, '', { mode: 0o755 });
    await access(program, constants.X_OK);
    return IN_MEMORY;
  } catch {
    return tmpdir();
  } finally {
    await rm(program, { force: true });
  }
}
