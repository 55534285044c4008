import { type DigestSource, FIRST_DIGEST_MINUTES, type Raised } from '../notifications/operator-digest';
import { attentionPage } from '../platform/http/operator-page-urls';

/** Orders that a message names. */
const NAMED_ORDERS = 10;

/** Reports orders that need attention, by reason. */
export const ATTENTION_DIGEST: DigestSource = {
  event: 'attention_raised',
  link: (reason, publicUrl) => attentionPage(publicUrl, reason),
  async read(tx, until) {
    const rows = await tx<{ reason: string; count: number; since: Date; orders: object[] }[]>`
      SELECT raised.reason, count(*)::int, min(raised_at) AS since,
        (array_agg(jsonb_build_object('id', id, 'orderReferenceId', order_reference_id) ORDER BY raised_at, id))[:${NAMED_ORDERS}::int]
          AS orders
      FROM (
        SELECT o.id, o.order_reference_id, s.key AS reason, s.value::timestamptz AS raised_at
        FROM orders o, jsonb_each_text(o.attention_since) s
        WHERE o.attention IS NOT NULL
      ) raised
      LEFT JOIN operator_digests d ON d.event = 'attention_raised' AND d.reason = raised.reason
      WHERE raised_at <= ${until} AND raised_at > coalesce(d.covered_until, now() - make_interval(mins => ${FIRST_DIGEST_MINUTES}))
      GROUP BY 1 ORDER BY 1`;
    return rows.map(({ reason, count, since, orders }): Raised => ({ reason, count, since, about: { orders } }));
  },
};
