import { deadLettersPage, systemPage } from '../platform/http/operator-page-urls';
import { type DigestSource, FIRST_DIGEST_MINUTES, type Raised } from './operator-digest';

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
