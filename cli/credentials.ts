import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { DemoCredentials } from '../sandbox/demo/accounts';

export interface StackUrls {
  readonly baseUrl: string;
  readonly temporalUiUrl: string;
  readonly consoleUrl: string;
  /** URL of the sandbox, whose print files are under `/files`. Absent with SANDBOX=off. */
  readonly sandboxUrl?: string;
  /** URL of the metrics of this process. Absent with METRICS_PORT=off. */
  readonly metricsUrl?: string;
}

export type CredentialsFile = StackUrls & DemoCredentials;

const path = (dataDir: string) => join(dataDir, 'credentials.json');

export async function readCredentials(dataDir: string): Promise<CredentialsFile | undefined> {
  try {
    return JSON.parse(await readFile(path(dataDir), 'utf8')) as CredentialsFile;
  } catch {
    return undefined;
  }
}

/** Writes the credentials to DATA_DIR, readable for the owner only. Returns the path of the file. */
export async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<string> {
  await writeFileAtomic(path(dataDir), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return path(dataDir);
}
