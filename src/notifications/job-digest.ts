import { systemPage } from '../platform/http/operator-page-urls';
import { type DigestSource, FIRST_DIGEST_MINUTES, type Raised } from './operator-digest';

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
