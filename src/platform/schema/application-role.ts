import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { connectPostgres, SESSION_SETTINGS } from '../postgres';
import { SCHEMA_TABLE } from './schema-version';

/** Tables whose rows the application may only insert. Triggers refuse the changes of other roles. */
const APPEND_ONLY_TABLES = ['audit_log'];
const READ_ONLY_TABLES = [SCHEMA_TABLE, 'partitioned_tables'];
/** Functions with the rights of the owner that create and drop partitions (011.do.partitions.sql). */
const PARTITION_FUNCTIONS = ['create_partition', 'drop_oldest_partition', 'delete_late_rows'];

const ITERATIONS = 4_096;
/** SQLSTATE of a wrong password. */
const INVALID_PASSWORD = '28P01';

/** Returns a SCRAM-SHA-256 verifier (RFC 5803). The server never sees the password, so no log of it can hold it. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const keyOf = (label: string) => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`;
}

/**
 * Gives the role of a connection URL the rights that the application needs: reading and writing rows. It owns nothing, so
 * it cannot drop or alter a table. Creates the role with the URL's password when it does not exist, and
 * changes the password of an existing one that cannot connect with it. Does nothing when the
 * URL names the current role.
 * @param sql a connection of the role that owns the tables
 */
export async function grantApplicationRole(sql: postgres.Sql, applicationUrl: string): Promise<void> {
  const url = new URL(applicationUrl);
  const role = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  await sql.begin(async (tx) => {
    const [found] = await tx<{ isOwner: boolean; exists: boolean; database: string; schema: string }[]>`
      SELECT current_user = ${role} AS "isOwner", EXISTS (SELECT FROM pg_roles WHERE rolname = ${role}) AS exists,
             current_database() AS database, current_schema() AS schema`;
    const { isOwner, exists, database, schema } = found!;
    if (isOwner || role === '') return;
    const name = tx(role);
    // CREATE ROLE takes no parameters. A verifier consists of base64 and the characters $ and colon.
    const verifier = tx.unsafe(`'${scramVerifier(password)}'`);
    if (exists && password !== '' && (await isRefused(applicationUrl)))
      await tx`ALTER ROLE ${name} PASSWORD ${verifier}`;
    if (!exists) await tx`CREATE ROLE ${name} LOGIN PASSWORD ${verifier}`;
    await setSessionDefaults(tx, role, database);
    await tx`GRANT CONNECT ON DATABASE ${tx(database)} TO ${name}`;
    await tx`REVOKE TEMPORARY ON DATABASE ${tx(database)} FROM PUBLIC`;
    await tx`REVOKE CREATE ON SCHEMA ${tx(schema)} FROM PUBLIC`;
    await tx`GRANT USAGE ON SCHEMA ${tx(schema)} TO ${name}`;
    await tx`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${tx(schema)} TO ${name}`;
    await tx`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${tx(schema)} TO ${name}`;
    const restricted = await tx<{ relname: string; rights: string }[]>`
      SELECT relname, CASE WHEN relname = ANY(${APPEND_ONLY_TABLES}) THEN 'UPDATE, DELETE' ELSE 'INSERT, UPDATE, DELETE' END AS rights
      FROM pg_class
      WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'p')
        -- Rights on a table are enough for its partitions.
        AND (relispartition OR relname = ANY(${[...APPEND_ONLY_TABLES, ...READ_ONLY_TABLES]}))`;
    for (const { relname, rights } of restricted) await tx`REVOKE ${tx.unsafe(rights)} ON ${tx(relname)} FROM ${name}`;
    const functions = await tx<{ proname: string }[]>`
      SELECT proname FROM pg_proc WHERE pronamespace = ${schema}::regnamespace AND proname = ANY(${PARTITION_FUNCTIONS})`;
    for (const { proname } of functions) await tx`GRANT EXECUTE ON FUNCTION ${tx(proname)} TO ${name}`;
  });
}

/**
 * Makes SESSION_SETTINGS the defaults of a role, for sessions that come through a pooler. A role that an administrator made may
 * be one that the owner of the tables must not alter: the administrator then sets them (docs/operation/deployment.md).
 */
async function setSessionDefaults(tx: postgres.TransactionSql, role: string, database: string): Promise<void> {
  try {
    await tx.savepoint(async (nested) => {
      for (const [name, value] of Object.entries(SESSION_SETTINGS))
        await nested`ALTER ROLE ${nested(role)} IN DATABASE ${nested(database)} SET ${nested(name)} = ${nested.unsafe(String(value))}`;
    });
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
  }
}

async function isRefused(url: string): Promise<boolean> {
  const sql = connectPostgres(url, { max: 1 });
  try {
    await sql`SELECT 1`;
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === INVALID_PASSWORD;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
