import { setTimeout } from 'node:timers/promises';
import { deadLettersPage, systemPage } from '../platform/http/operator-page-urls';
import type { Logger } from '../platform/logging/logging';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import type { OperatorEvent } from './domain/event-schemas';
import { mayHaveEndpoints } from './endpoints';
import { enqueueMessage } from './enqueue';

export interface Raised {
  /** Attention reason, kind of message, or name of the job. */
  readonly reason: string;
  readonly count: number;
  /** When the first of them was raised. */
  readonly since: Date;
  /** What it is about: the first orders or messages, or the error of the job. */
  readonly about: object;
}

/**
 * Reads what an event reports.
 * @param until only what was raised up to then. The digest covers it, so that the next one starts there
 */
export interface DigestSource {
  readonly event: OperatorEvent;
  /** Address of the console's page that shows all of them. */
  readonly link: (reason: string, publicUrl: string) => string;
  readonly read: (tx: Queryable, until: Date) => Promise<readonly Raised[]>;
}

/** Interval of the check. With the delay below, the first message leaves within 30 s. */
const CHECK_MS = 10_000;
/** Rows become visible when their transaction commits, which can be after the check. They are reported this much later. */
const COMMIT_DELAY_SECONDS = 5;
/** Shortest time between two messages of one event and reason. */
const INTERVAL_SECONDS = 5 * 60;
/** Without an earlier message, a digest covers this time. */
export const FIRST_DIGEST_MINUTES = 5;
/** Key of the advisory lock. One process at a time checks. The number itself has no meaning. */
const DIGEST_LOCK = 7_411_823_002;

interface DigestDeps {
  readonly sql: Sql;
  readonly log: Logger;
  readonly publicUrl: string;
}

/**
 * Notifies operators' endpoints of what was raised: the first message of a reason at once, then at most one in five minutes, with
 * the count. Returns the number of messages. When another process checks at the same time, does nothing.
 */
export async function sendDigests(
  { sql, publicUrl }: Omit<DigestDeps, 'log'>,
  sources: readonly DigestSource[],
): Promise<number> {
  return await inTransaction(sql, async (tx) => {
    const [turn] = await tx<{ isOurs: boolean }[]>`SELECT pg_try_advisory_xact_lock(${DIGEST_LOCK}) AS is_ours`;
    if (!turn!.isOurs) return 0;
    const endpoints = await tx<{ id: string; events: string[] }[]>`
      SELECT e.id, e.events FROM webhook_endpoints e JOIN accounts a ON a.id = e.client_id
      WHERE ${mayHaveEndpoints(tx)} AND e.enabled`;
    if (endpoints.length === 0) return 0;
    const [now] = await tx<{ until: Date }[]>`
      SELECT now() - make_interval(secs => ${COMMIT_DELAY_SECONDS}) AS until`;
    const { until } = now!;
    let messages = 0;
    for (const source of sources) {
      const receivers = endpoints.filter(({ events }) => events.includes(source.event));
      if (receivers.length === 0) continue;
      for (const raised of await source.read(tx, until)) {
        if (!(await isDue(tx, source.event, raised.reason, until))) continue;
        const link = source.link(raised.reason, publicUrl);
        await enqueueDigest(tx, source.event, { ...raised, link }, receivers);
        messages += 1;
      }
    }
    return messages;
  });
}

/** Returns true, and marks everything until then as covered, when the last message of the reason is old enough. */
async function isDue(tx: Transaction, event: string, reason: string, until: Date): Promise<boolean> {
  const rows = await tx`
    INSERT INTO operator_digests AS d (event, reason, covered_until, sent_at) VALUES (${event}, ${reason}, ${until}, now())
    ON CONFLICT (event, reason) DO UPDATE SET covered_until = excluded.covered_until, sent_at = excluded.sent_at
      WHERE d.sent_at <= now() - make_interval(secs => ${INTERVAL_SECONDS})
    RETURNING 1`;
  return rows.length > 0;
}

async function enqueueDigest(
  tx: Transaction,
  event: OperatorEvent,
  { reason, count, since, about, link }: Raised & { readonly link: string },
  receivers: readonly { readonly id: string }[],
): Promise<void> {
  const content = { reason, count, since: since.toISOString(), ...about, link };
  await enqueueMessage(tx, { event, content, orderId: null, endpointIds: receivers.map(({ id }) => id) });
}

/** Checks every ten seconds until stopped. A failed check is logged; the next one covers the same time. */
export function startDigests(deps: DigestDeps, sources: readonly DigestSource[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      await sendDigests(deps, sources).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'operators could not be notified; it is tried again'),
      );
      await setTimeout(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Messages that a digest names. */
const NAMED_MESSAGES = 10;

/** Reports dead letters, by kind. */
export const OUTBOX_DIGEST: DigestSource = {
  event: 'outbox_dead',
  link: (kind, publicUrl) => deadLettersPage(publicUrl, kind),
  async read(tx, until) {
    const rows = await tx<{ reason: string; count: number; since: Date; messages: object[] }[]>`
      SELECT o.kind AS reason, count(*)::int, min(o.dead_at) AS since,
        (array_agg(jsonb_build_object('id', o.id::text, 'target', o.target, 'error', o.last_error)
          ORDER BY o.dead_at, o.id))[:${NAMED_MESSAGES}::int] AS messages
      FROM outbox o LEFT JOIN operator_digests d ON d.event = 'outbox_dead' AND d.reason = o.kind
      WHERE o.dead_at IS NOT NULL AND o.dead_at <= ${until}
        AND o.dead_at > coalesce(d.covered_until, now() - make_interval(mins => ${FIRST_DIGEST_MINUTES}))
      GROUP BY 1 ORDER BY 1`;
    return rows.map(({ reason, count, since, messages }): Raised => ({ reason, count, since, about: { messages } }));
  },
};

/** Reports periodic jobs whose last run has failed. */
export const JOB_DIGEST: DigestSource = {
  event: 'job_failed',
  link: (_job, publicUrl) => systemPage(publicUrl),
  async read(tx, until) {
    const rows = await tx<{ reason: string; since: Date; error: string }[]>`
      SELECT j.job AS reason, j.last_ended_at AS since, j.last_error AS error
      FROM job_runs j LEFT JOIN operator_digests d ON d.event = 'job_failed' AND d.reason = j.job
      WHERE j.last_error IS NOT NULL AND j.last_ended_at <= ${until}
        AND j.last_ended_at > coalesce(d.covered_until, now() - make_interval(mins => ${FIRST_DIGEST_MINUTES}))
      ORDER BY 1`;
    return rows.map(({ reason, since, error }): Raised => ({ reason, count: 1, since, about: { error } }));
  },
};
