import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { around } from '../connection-limit';
import { activeSpan, inSpan } from './spans';

/**
 * Returns a pool whose statements are spans of the trace that they run in, also those in transactions. Statements outside a trace
 * are not recorded. A span has the operation and the tables of its statement, never its values.
 */
export function traceStatements<S extends object>(sql: S): S {
  return around(sql, {
    async statement(strings, send) {
      if (activeSpan() === undefined) return await send();
      const { name, options } = statementOf(strings);
      return await inSpan(name, options, send);
    },
    transaction: (run) => run(),
    withinTransactions: true,
  });
}

interface Statement {
  readonly name: string;
  readonly options: SpanOptions;
}

/** By the text of a template, which is one object for each place in the code. */
const statements = new WeakMap<readonly string[], Statement>();

function statementOf(strings: readonly string[]): Statement {
  let statement = statements.get(strings);
  if (statement === undefined) {
    const name = summaryOf(strings.join('?'));
    const operation = name.split(' ', 1)[0]!;
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': name,
    };
    statement = { name, options: { kind: SpanKind.CLIENT, attributes } };
    statements.set(strings, statement);
  }
  return statement;
}

const WRITE = /\b(insert into|update|delete from) ([a-z_]\w*)/gi;
/** `FOR UPDATE` and `DO UPDATE` are parts of other statements. */
const NOT_A_WRITE = /\b(?:for|do|no key) update\b(?: of \w+)?/gi;
const READ = /(?<!\bdistinct )\bfrom ([a-z_]\w*)/i;
const LONGEST = 100;

/**
 * Returns the operations of a statement with their tables, as in `SELECT orders` or `INSERT orders INSERT outbox`: its writes, or
 * the first table that it reads.
 */
export function summaryOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(NOT_A_WRITE, '');
  const writes = [...line.matchAll(WRITE)].map(
    ([, verb, table]) => `${verb!.split(' ', 1)[0]!.toUpperCase()} ${table}`,
  );
  if (writes.length > 0) return shortened([...new Set(writes)]);
  const [verb = ''] = /^[a-z]+/i.exec(line) ?? [];
  if (!/^(?:select|with|values)$/i.test(verb)) return verb === '' ? 'SQL' : verb.toUpperCase();
  const [, table] = READ.exec(line) ?? [];
  return table === undefined ? 'SELECT' : `SELECT ${table}`;
}

function shortened(parts: readonly string[]): string {
  let joined = parts[0]!;
  for (const part of parts.slice(1)) {
    if (joined.length + part.length >= LONGEST) break;
    joined += ` ${part}`;
  }
  return joined;
}
