import { countryLine } from '../../consignments/domain/address-lines';
import { TRACKING_STATUS, type TrackingStatus } from '../../consignments/domain/tracking-status';
import { cutText } from '../../platform/domain/foreign-text';
import { escapeHtml as escaped, pageTemplate } from '../../platform/http/html-page';
import type { Queryable } from '../../platform/postgres';

/**
 * The public tracking page of a package. It shows no personal data: statuses in our own words, because messages of carriers may
 * contain names, and places reduced to city and country.
 */

const STATUS_TEXTS: Readonly<Record<TrackingStatus, string>> = {
  registered: 'Label created',
  dispatched: 'Handed over to the carrier',
  in_transit: 'In transit',
  shipping_exception: 'Delayed',
  out_for_delivery: 'Out for delivery',
  failed_attempt: 'Delivery attempt failed',
  available_for_pickup: 'Ready for pickup',
  not_picked_up: 'Not picked up',
  returned: 'Returned to the sender',
  delivered: 'Delivered',
};

const STEPS = [
  { title: 'Label created', rank: TRACKING_STATUS.registered.rank },
  { title: 'In transit', rank: TRACKING_STATUS.in_transit.rank },
  { title: 'Out for delivery', rank: TRACKING_STATUS.out_for_delivery.rank },
  { title: 'Delivered', rank: TRACKING_STATUS.delivered.rank },
] as const;

export interface PublicTracking {
  readonly trackingNumber: string;
  readonly carrierName: string;
  readonly statusUid: TrackingStatus;
  readonly expectedDeliveryDate: string | null;
  /** ISO 3166-1 alpha-2; null for codes that partners bring. */
  readonly fromCountry: string | null;
  readonly toCountry: string | null;
  /** The label was voided, and no carrier has scanned it. */
  readonly voided: boolean;
  /** Newest first. */
  readonly checkpoints: readonly {
    readonly statusUid: TrackingStatus;
    readonly location: string | null;
    /** ISO 8601. */
    readonly occurredAt: string;
  }[];
}

/**
 * Returns what the public page of a package may show, or null for an unknown one.
 * @param by the random id of a tracking link, which one use of a number has, or a tracking number, which anyone can guess
 */
export async function readPublicTracking(
  sql: Queryable,
  by: { readonly shortUid: string } | { readonly trackingNumber: string },
): Promise<PublicTracking | null> {
  const isIt = 'shortUid' in by ? sql`t.short_uid = ${by.shortUid}` : sql`t.tracking_number = ${by.trackingNumber}`;
  const [row] = await sql<PublicTracking[]>`
    SELECT t.tracking_number, coalesce(s.carrier_name, t.carrier_name) AS carrier_name, t.status_uid,
      t.expected_delivery_date::text AS expected_delivery_date, s.consignment->'sender'->>'country' AS from_country,
      s.consignment->'receiver'->>'country' AS to_country, coalesce(s.status = 'voided', false) AS voided,
      coalesce((SELECT jsonb_agg(jsonb_build_object('statusUid', c.status_uid, 'location', c.location,
          'occurredAt', c.occurred_at) ORDER BY c.occurred_at DESC, c.id DESC)
        FROM tracking_checkpoints c
        WHERE (c.tracking_number, c.generation, c.tracked_since) = (t.tracking_number, t.generation, t.created_at)), '[]'::jsonb) AS checkpoints
    FROM trackings t LEFT JOIN shipments s ON s.id = t.shipment_id
    WHERE ${isIt} AND t.carrier_uid IS NOT NULL
    ORDER BY t.created_at DESC, t.generation DESC LIMIT 1`;
  return row ?? null;
}

/**
 * Returns city and country of a carrier's location, or an empty text. Parts with digits are streets or post codes, and a
 * two-letter part that is not the last one is a state.
 */
export function publicPlace(location: string | null): string {
  const parts = (location ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/\d/.test(part));
  const places = parts.filter((part, index) => index === parts.length - 1 || !/^[A-Z]{2}$/.test(part));
  return cutText(places.slice(-2).join(', '), 80);
}

const PAGE = pageTemplate(`
.number { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
ol.steps { display: flex; list-style: none; margin: 1.5rem 0; padding: 0; gap: .5rem; }
ol.steps li { flex: 1; border-top: 4px solid #d4d9e1; padding-top: .5rem; font-size: .875rem; color: #566071; }
ol.steps li.done { border-color: #1f7a4d; color: #1c2430; font-weight: 600; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .5rem .5rem .5rem 0; border-top: 1px solid #e4e7ec; vertical-align: top; }
`);

export const TRACKING_PAGE_HEADERS = PAGE.headers;

const page = (title: string, body: string) => PAGE.render({ title, body });

export function renderUnknownTracking(): string {
  return page(
    'Tracking number not found',
    '<h1>Tracking number not found</h1>\n<p class="muted">Check the number. A new number appears here after the label was bought.</p>',
  );
}

export function renderTracking(tracking: PublicTracking): string {
  const { trackingNumber, carrierName, statusUid, voided } = tracking;
  const status = voided ? 'Label canceled' : STATUS_TEXTS[statusUid];
  return page(
    `${status}: ${trackingNumber}`,
    [
      `<h1>${status}</h1>`,
      `<p class="muted">${escaped(carrierName)} <span class="number">${escaped(trackingNumber)}</span>${route(tracking)}</p>`,
      ...(voided ? [] : [steps(statusUid), expected(tracking)]),
      checkpoints(tracking),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  );
}

function route({ fromCountry, toCountry }: PublicTracking): string {
  if (fromCountry === null || toCountry === null) return '';
  return ` &middot; ${escaped(countryLine(fromCountry))} &rarr; ${escaped(countryLine(toCountry))}`;
}

function steps(statusUid: TrackingStatus): string {
  const { rank } = TRACKING_STATUS[statusUid];
  const items = STEPS.map(({ title, rank: reachedAt }, index) => {
    const last = index === STEPS.length - 1;
    const text = last && statusUid === 'returned' ? STATUS_TEXTS.returned : title;
    return `<li${rank >= reachedAt ? ' class="done"' : ''}>${text}</li>`;
  });
  return `<ol class="steps">\n${items.join('\n')}\n</ol>`;
}

function expected({ expectedDeliveryDate, statusUid }: PublicTracking): string {
  if (expectedDeliveryDate === null || TRACKING_STATUS[statusUid].final) return '';
  return `<p>Expected delivery: <time datetime="${expectedDeliveryDate}">${expectedDeliveryDate}</time></p>`;
}

function checkpoints({ checkpoints: all }: PublicTracking): string {
  const rows = all.map(({ statusUid, location, occurredAt }) => {
    const time = new Date(occurredAt).toISOString();
    const shown = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
    return `<tr><td><time datetime="${time}">${shown}</time></td><td>${STATUS_TEXTS[statusUid]}</td><td>${escaped(publicPlace(location))}</td></tr>`;
  });
  return `<table>\n<thead><tr><th>Time</th><th>Status</th><th>Place</th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;
}
