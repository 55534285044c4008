import { context, SpanKind, type SpanOptions } from '@opentelemetry/api';
import { activeSpan, markFailed, startSpan } from './spans';

/** The parts of the driver's queries that are replaced: `handler` sends the query, `resolve` and `reject` end it. */
interface DriverQuery {
  readonly strings: readonly string[];
  handler: (query: DriverQuery) => unknown;
  resolve: (rows: unknown) => void;
  reject: (error: unknown) => void;
}

type Tag = (...args: unknown[]) => unknown;

/**
 * Returns a pool or transaction whose statements are spans of the trace that they run in. Statements outside a trace are not
 * recorded. A span has the operation and the tables of its statement, never its values.
 */
export function traceStatements<S extends object>(sql: S): S {
  return new Proxy(sql as unknown as Tag & Record<string | symbol, unknown>, {
    apply(target, self, args: unknown[]) {
      const query = Reflect.apply(target, self, args);
      if (isQuery(query)) traceQuery(query);
      return query;
    },
    get(target, name) {
      const member = target[name];
      // The last argument is the function that gets the transaction.
      if (name === 'begin' || name === 'savepoint')
        return (...args: unknown[]) => {
          const work = args.pop() as (tx: S) => unknown;
          return (member as Tag)(...args, (tx: S) => work(traceStatements(tx)));
        };
      return member;
    },
  }) as unknown as S;
}

function isQuery(value: unknown): value is DriverQuery {
  return typeof value === 'object' && value !== null && 'handler' in value && 'strings' in value;
}

function traceQuery(query: DriverQuery): void {
  const { handler } = query;
  query.handler = (sent) => {
    if (activeSpan() === undefined) return handler(sent);
    const { name, options } = statementOf(query.strings);
    const span = startSpan(name, options, context.active());
    if (span === undefined) return handler(sent);
    const { resolve, reject } = query;
    query.resolve = (rows) => {
      span.end();
      resolve(rows);
    };
    query.reject = (error) => {
      markFailed(span, error);
      span.end();
      reject(error);
    };
    return handler(sent);
  };
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

/** Joins as many of the parts as have room in a summary. */
function shortened(parts: readonly string[]): string {
  let joined = parts[0]!;
  for (const part of parts.slice(1)) {
    if (joined.length + part.length >= LONGEST) break;
    joined += ` ${part}`;
  }
  return joined;
}
