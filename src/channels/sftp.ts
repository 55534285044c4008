import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import SftpClient from 'ssh2-sftp-client';
import { z } from 'zod';
import { text } from '../platform/domain/fields';
import { cutText } from '../platform/domain/foreign-text';
import { invalidField } from '../platform/errors';
import { BlockedAddressError } from '../platform/http/responses';
import type { SafeClient } from '../platform/http/safe-client';
import { json, type Queryable } from '../platform/postgres';
import { type SealedTable, type SecretBox, secretOwner } from '../platform/sealing/secret-box';

/** Connections to the SFTP servers of channels. */

/** What an SFTP server is, without its secret. */
export const sftpServer = z
  .object({
    host: z.string().regex(/^[\w.:-]{1,253}$/, 'A name or an address, without a path.'),
    port: z.int().min(1).max(65_535).default(22),
    username: text(100),
    folder: z.string().trim().min(1).max(500).default('.').describe('The folder with `in`, `out` and `done`.'),
    hostKey: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'A fingerprint such as `ssh-keygen -lf` prints it: SHA256:…')
      .nullable()
      .default(null)
      .describe(
        'Fingerprint of the key of the server. Null: there is no connection until it is set. A test returns it.',
      )
      .meta({ examples: ['SHA256:uNiVztksCsDhcc0u9e8BrFMzg3fRsN3nDpqQmg8xCiM'] }),
  })
  .meta({ id: 'SftpServer' });
export type SftpServer = z.output<typeof sftpServer>;

export const newSftpServer = sftpServer
  .extend({
    password: z.string().min(1).max(1_000).nullish(),
    privateKey: z
      .string()
      .min(1)
      .max(20_000)
      .nullish()
      .describe('In the form of OpenSSH or PEM, without a passphrase.'),
  })
  .refine(({ password, privateKey }) => password == null || privateKey == null, {
    path: ['privateKey'],
    message: 'Either a password or a private key.',
  })
  .meta({
    id: 'NewSftpServer',
    description: 'Without a password and a key, those that were stored for the server stay.',
  });

export const CHANNEL_SECRETS: SealedTable = { table: 'channels', key: 'id', columns: ['sftp_secret'] };

/**
 * Stores the server of a channel with its sealed secret. The secret of another server is never sent to this one.
 * @throws Refusal `VALIDATION_ERROR` without a secret
 */
export async function storeServer(
  tx: Queryable,
  box: SecretBox,
  id: string,
  { password, privateKey, ...server }: z.output<typeof newSftpServer>,
): Promise<void> {
  const secret = password == null ? { privateKey } : { password };
  const given =
    (password ?? privateKey) == null ? null : box.seal(JSON.stringify(secret), secretOwner(CHANNEL_SECRETS, id));
  const { host, port, username, hostKey } = server;
  const { count } = await tx`
    UPDATE channels SET sftp = ${json(tx, server)}, sftp_secret = coalesce(${given}, sftp_secret), sftp_seen = '{}'
    WHERE id = ${id} AND (${given}::text IS NOT NULL OR sftp_secret IS NOT NULL AND sftp @> ${json(tx, { host, port, username })}
      AND (sftp ->> 'hostKey' IS NULL OR sftp ->> 'hostKey' = ${hostKey}))`;
  if (count === 0)
    throw invalidField('sftp.password', 'A password or a private key is required.', 'MISSING_FIELD_ERROR');
}

export interface SftpDeps {
  readonly sql: Queryable;
  readonly client: SafeClient;
  readonly secretBox: SecretBox;
}

/** A connection or a step on it that failed, in words. */
class SftpProblem extends Error {
  override readonly name = 'SftpProblem';
  constructor(
    message: string,
    readonly hostKey: string | null,
  ) {
    super(message);
  }
}

const HANDSHAKE_MS = 10_000;
/** Time for everything that one connection does. */
const SESSION_MS = 5 * 60_000;

const WORDS: readonly (readonly [error: RegExp, words: string])[] = [
  [/authentication methods failed/, 'the server refused the user name, the password or the key'],
  [/parse privateKey|Unsupported key|Encrypted/i, 'the private key cannot be read'],
  [/ENOTFOUND|EAI_AGAIN|ENODATA/, 'there is no server with this name'],
  [/ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT|aborted due to timeout/, 'no connection'],
];

/** Returns an error in words, without the names of calls that the client puts before it. */
const inWords = ({ message }: Error) =>
  WORDS.find(([error]) => error.test(message))?.[1] ?? cutText(message.replace(/^(?:_?\w+(?:->|: ))+/, ''), 300);

/**
 * Connects to the server of a channel when it has the key of the channel, and uses the connection.
 * @throws SftpProblem
 */
export async function withSftp<Result>(
  { sql, client, secretBox }: SftpDeps,
  channelId: string,
  use: (sftp: SftpClient, at: (...names: string[]) => string) => Promise<Result>,
): Promise<Result> {
  const [stored] = await sql<{ sftp: SftpServer; sftpSecret: string }[]>`
    SELECT sftp, sftp_secret FROM channels WHERE id = ${channelId}`;
  const { host, port, username, folder, hostKey } = stored!.sftp;
  const secret = JSON.parse(secretBox.open(stored!.sftpSecret, secretOwner(CHANNEL_SECRETS, channelId))) as object;
  let found: string | null = null;
  const hostVerifier = (key: Buffer) => {
    found = `SHA256:${createHash('sha256').update(key).digest('base64').replaceAll('=', '')}`;
    return found === hostKey;
  };
  // Errors are those of the calls.
  const sftp = new SftpClient('pressline', {});
  let sock: Socket | undefined;
  let end: NodeJS.Timeout | undefined;
  try {
    sock = await client.connect(host, port);
    end = setTimeout(() => sock?.destroy(), SESSION_MS);
    await sftp.connect({ sock, username, ...secret, readyTimeout: HANDSHAKE_MS, hostVerifier });
    return await use(sftp, (...names) => [folder, ...names].join('/'));
  } catch (error) {
    if (found === null || found === hostKey) {
      const words = error instanceof BlockedAddressError ? error.message : inWords(error as Error);
      throw new SftpProblem(`${host}:${port}: ${words}.`, found);
    }
    const known = hostKey === null ? 'The channel has none' : `The channel has ${hostKey}`;
    const message = `${host}:${port} has the host key ${found}. ${known}: compare it with what the operator of the server says.`;
    throw new SftpProblem(message, found);
  } finally {
    clearTimeout(end);
    await sftp.end().catch(() => undefined);
    sock?.destroy();
  }
}

export const FOLDERS = ['in', 'out', 'done'] as const;

export const sftpTestSchema = z
  .object({
    works: z.boolean(),
    message: z.string().describe('What was found, in words.'),
    hostKey: z.string().nullable().describe('Fingerprint of the key of the server. Null: there was no connection.'),
  })
  .meta({ id: 'ChannelTest' });

/** Connects to the server of a channel, makes missing folders, reads its files, and writes and deletes one. */
export async function testSftp(deps: SftpDeps, channelId: string, hostKey: string | null) {
  try {
    const files = await withSftp(deps, channelId, async (sftp, at) => {
      await makeFolders(sftp, at);
      for (const folder of ['out', 'done']) {
        await sftp.put(Buffer.from('test'), at(folder, PROBE));
        await sftp.delete(at(folder, PROBE));
      }
      return await csvFiles(sftp, at);
    });
    const count = files.length === 1 ? '1 CSV file' : `${files.length} CSV files`;
    return { works: true, message: `The connection works. \`in\` has ${count}.`, hostKey };
  } catch (error) {
    if (!(error instanceof SftpProblem)) throw error;
    return { works: false, message: error.message, hostKey: error.hostKey };
  }
}

const PROBE = '.pressline-test';

export async function makeFolders(sftp: SftpClient, at: (...names: string[]) => string): Promise<void> {
  for (const folder of FOLDERS) if (!(await sftp.exists(at(folder)))) await sftp.mkdir(at(folder));
}

/** Returns the CSV files that the server has for us. Other names, such as those of uploads that are not complete, are left alone. */
export const csvFiles = async (sftp: SftpClient, at: (...names: string[]) => string) =>
  await sftp.list(at('in'), ({ type, name }) => type === '-' && /^[^./\\][^/\\]{0,190}\.csv$/i.test(name));
