import { inTransaction, type Queryable, type Sql } from '../postgres';
import { decrypt, encrypt, type KeyRing } from './named-keys';

/**
 * Seals secrets that Postgres stores and that Pressline needs in readable form, because it signs with them. A secret that
 * is only compared is stored as a hash instead.
 */
export interface SecretBox {
  /**
   * Encrypts a secret with the first key.
   * @param owner the row that holds the secret. It is authenticated: a sealed secret copied to another row does not open
   * @returns `sealed:<key id>:<base64>`
   */
  seal(secret: string, owner: string): string;
  /** @throws SecretNotOpened when its key is not configured, or the text or its owner was altered */
  open(stored: string, owner: string): string;
  /** The beginning of every text that the first key has sealed. */
  readonly currentPrefix: string;
}

/** A stored secret that cannot be decrypted with the configured keys. */
export class SecretNotOpened extends Error {
  override readonly name = 'SecretNotOpened';
}

export function createSecretBox(keys: KeyRing): SecretBox {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const currentPrefix = `sealed:${current.id}:`;
  return {
    currentPrefix,
    seal: (secret, owner) => currentPrefix + encrypt(current.key, Buffer.from(secret), owner).toString('base64'),
    open(stored, owner) {
      const [, id = '', bytes = ''] = /^sealed:([^:]*):(.*)$/s.exec(stored) ?? [];
      const key = byId.get(id);
      if (key === undefined) {
        throw new SecretNotOpened(`the secret of ${owner} is sealed with key ${id}, which is not in SECRET_KEYS`);
      }
      try {
        return decrypt(key, Buffer.from(bytes, 'base64'), owner).toString('utf8');
      } catch {
        throw new SecretNotOpened(
          `the secret of ${owner} is damaged, or key ${id} of SECRET_KEYS is another one of that name`,
        );
      }
    },
  };
}

/** A table with sealed columns. Its features declare one beside the SQL that writes these columns. */
export interface SealedTable {
  readonly table: string;
  /** Primary key. `<table>:<key>` is the owner of the row's secrets. */
  readonly key: string;
  readonly columns: readonly string[];
}

export interface Resealed {
  readonly sealed: number;
  /** Owners of secrets that no configured key opens. They stay as they are. */
  readonly failed: readonly string[];
}

/** Returns the owner under which the secrets of a row are sealed. */
export const secretOwner = ({ table }: Pick<SealedTable, 'table'>, key: string): string => `${table}:${key}`;

/**
 * Seals with the first key every secret that another key has sealed. Can be repeated, and can run in several processes
 * at once. The tables have one row per partner or endpoint.
 */
export async function resealSecrets(sql: Sql, box: SecretBox, tables: readonly SealedTable[]): Promise<Resealed> {
  let sealed = 0;
  const failed = new Set<string>();
  for (const table of tables) {
    for (const column of table.columns) {
      for (const key of await keysToSeal(sql, box, table, column)) {
        try {
          sealed += await inTransaction(sql, (tx) => resealRow(tx, box, table, column, key));
        } catch (error) {
          if (!(error instanceof SecretNotOpened)) throw error;
          failed.add(secretOwner(table, key));
        }
      }
    }
  }
  return { sealed, failed: [...failed] };
}

async function keysToSeal(
  sql: Queryable,
  box: SecretBox,
  { table, key }: SealedTable,
  column: string,
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    SELECT ${sql(key)} AS key FROM ${sql(table)} WHERE NOT starts_with(${sql(column)}, ${box.currentPrefix})`;
  return rows.map((row) => row.key);
}

/** Seals the secret of one row, which is locked meanwhile: a new secret that is stored at the same time is not lost. */
async function resealRow(
  tx: Queryable,
  box: SecretBox,
  { table, key }: SealedTable,
  column: string,
  id: string,
): Promise<number> {
  const [row] = await tx<{ secret: string | null }[]>`
    SELECT ${tx(column)} AS secret FROM ${tx(table)} WHERE ${tx(key)} = ${id} FOR UPDATE`;
  if (row == null || row.secret === null || row.secret.startsWith(box.currentPrefix)) return 0;
  const owner = secretOwner({ table }, id);
  const sealed = box.seal(box.open(row.secret, owner), owner);
  await tx`UPDATE ${tx(table)} SET ${tx(column)} = ${sealed} WHERE ${tx(key)} = ${id}`;
  return 1;
}
