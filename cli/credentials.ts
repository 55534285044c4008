import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoCredentials } from '../src/accounts/demo-accounts';
import { writeFileAtomically } from '../src/platform/embedded/files';

/** What `credentials.json` holds: how to reach the stack and the keys of its demo accounts. */
export interface CredentialsFile extends DemoCredentials {
  readonly baseUrl: string;
  readonly temporalUiUrl: string;
}

const path = (dataDir: string) => join(dataDir, 'credentials.json');

export async function readCredentials(dataDir: string): Promise<CredentialsFile | undefined> {
  try {
    return JSON.parse(await readFile(path(dataDir), 'utf8')) as CredentialsFile;
  } catch {
    return undefined;
  }
}

/** Writes the file for its owner alone. @returns its path */
export async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<string> {
  await writeFileAtomically(path(dataDir), `${JSON.stringify(credentials, null, 2)}\n`, 0o600);
  return path(dataDir);
}
