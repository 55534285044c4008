/** Numbers of the connections of a pool, and of the statements and transactions that wait for one. */
export interface PoolStates {
  readonly used: number;
  /** Connections that are free, whether they are open or would be opened. */
  readonly idle: number;
  readonly waiting: number;
}

export class PoolTimeout extends Error {
  override readonly name = 'PoolTimeout';
  /** As codes of the driver: `isUnavailable` reads it. */
  readonly code = 'POOL_TIMEOUT';
}

/**
 * Lets as many statements and transactions run at a time as a pool has connections. The others wait in order. The driver itself
 * would wait without a limit, and send statements on connections that are busy, behind statements that can take long.
 */
export class ConnectionLimit {
  onWaited: (seconds: number) => void = () => undefined;
  private used = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly max: number,
    private readonly waitMs: number,
  ) {}

  states(): PoolStates {
    return { used: this.used, idle: this.max - this.used, waiting: this.waiting.size };
  }

  /** @throws PoolTimeout */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.used < this.max) this.used += 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next === undefined) this.used -= 1;
      else next();
    }
  }

  /** Resolves when another one gives its connection to this one. */
  private turn(): Promise<void> {
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.waiting.delete(begin);
        this.onWaited((performance.now() - since) / 1_000);
        settle();
      };
      const begin = () => end(resolve);
      const timer = setTimeout(
        () => end(() => reject(new PoolTimeout(`no connection was free for ${this.waitMs} ms`))),
        this.waitMs,
      ).unref();
      this.waiting.add(begin);
    });
  }
}

/** What runs around the statements and transactions of a pool. */
export interface Around {
  /** @param strings the parts of a template; empty for text that is no template */
  statement<T>(strings: readonly string[], send: () => Promise<T>): Promise<T>;
  transaction<T>(run: () => Promise<T>): Promise<T>;
  /** Whether statements in transactions are included. */
  readonly withinTransactions: boolean;
}

type Member = (...args: unknown[]) => unknown;
type Pending = Promise<unknown> & { execute(): unknown };

/** Returns a pool or transaction that runs something around each statement and transaction. */
export function around<S extends object>(sql: S, hooks: Around): S {
  return new Proxy(sql as unknown as Member & Record<string | symbol, unknown>, {
    apply(target, self, args: unknown[]) {
      const statement = Reflect.apply(target, self, args);
      const [strings] = args;
      // Other calls name columns and rows.
      const isTemplate = Array.isArray(strings) && 'raw' in strings;
      return isTemplate ? whenSent(statement as Pending, (send) => hooks.statement(strings, send)) : statement;
    },
    get(target, name) {
      const member = target[name];
      if (name === 'unsafe')
        return (...args: unknown[]) =>
          whenSent((member as Member)(...args) as Pending, (send) => hooks.statement([], send));
      if (name !== 'begin' && name !== 'savepoint') return member;
      return (...args: unknown[]) => {
        // The last argument is the function that gets the transaction.
        const work = args.pop() as (tx: S) => unknown;
        const within = hooks.withinTransactions ? (tx: S) => work(around(tx, hooks)) : work;
        return hooks.transaction(async () => await (member as Member)(...args, within));
      };
    },
  }) as unknown as S;
}

/** Runs something around a statement when it is sent: when it is awaited first. A statement that is a part of another one is not sent. */
function whenSent(statement: Pending, run: (send: () => Promise<unknown>) => Promise<unknown>): Pending {
  const { then } = statement;
  let result: Promise<unknown> | undefined;
  const send = () => new Promise((resolve, reject) => void then.call(statement, resolve, reject));
  const sent = () => {
    result ??= run(send);
    return result;
  };
  const own: Pick<Pending, 'then' | 'catch' | 'finally' | 'execute'> = {
    // biome-ignore lint/suspicious/noThenProperty: a statement is a promise that is sent when it is awaited.
    then: (resolved, rejected) => sent().then(resolved, rejected),
    catch: (rejected) => sent().catch(rejected),
    finally: (settled) => sent().finally(settled),
    execute() {
      void sent();
      return statement;
    },
  };
  return Object.assign(statement, own);
}
