/**
 * All metrics of Pressline, as /metrics exposes them. docs/operation/metrics.md describes them; a test compares the two with a running
 * stack. The metrics of the Temporal SDK (`temporal_*`) are added by the SDK itself.
 *
 * Labels are bounded: route templates, statuses, outcomes, uids of carriers and partners. They never hold ids, references or
 * hosts of clients.
 */

type Labels = readonly string[];

const counter = <const L extends Labels>(labels: L, help: string) => ({ type: 'counter', labels, help }) as const;
const gauge = <const L extends Labels>(labels: L, help: string) => ({ type: 'gauge', labels, help }) as const;
/** @param bounds upper bounds of the buckets, in seconds */
const histogram = <const L extends Labels>(labels: L, bounds: readonly number[], help: string) =>
  ({ type: 'histogram', labels, bounds, help }) as const;

const HTTP_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STAGE_BOUNDS = [
  1,
  5,
  15,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  3 * DAY,
  5 * DAY,
  7 * DAY,
  14 * DAY,
];
/** 100 ms to one hour: a reconciliation of a million orders takes most of one. */
const JOB_BOUNDS = [0.1, 0.5, 1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];

export const METRICS = {
  http_server_request_duration_seconds: histogram(
    ['http_request_method', 'http_route', 'http_response_status_code'],
    HTTP_BOUNDS,
    'Duration of requests to the API. http_route is the route template, empty for an unknown route.',
  ),
  http_client_request_duration_seconds: histogram(
    ['kind', 'target', 'outcome'],
    HTTP_BOUNDS,
    'Duration of outgoing requests. target is the uid of the partner or carrier, empty for other kinds.',
  ),
  pressline_orders_accepted_total: counter([], 'Orders accepted, drafts not included.'),
  pressline_orders_ended_total: counter(['status'], 'Orders that reached a final status.'),
  pressline_partitions_ahead_seconds: gauge(['table'], 'Time until the last partition of a table ends.'),
  pressline_partition_default_rows: gauge(
    ['table'],
    'Rows that belong to no partition of their table, at most 1,000 are counted.',
  ),
  pressline_orders_open: gauge(['status'], 'Orders without a final status, drafts not included.'),
  pressline_order_stage_duration_seconds: histogram(
    ['stage'],
    STAGE_BOUNDS,
    'Time from the acceptance of an order to the end of each stage.',
  ),
  pressline_attention: gauge(['reason'], 'Open orders that need attention, by reason.'),
  pressline_attention_oldest_age_seconds: gauge(
    ['reason'],
    'Time since the oldest open attention of each reason was raised. 0 without one.',
  ),
  pressline_file_checks_total: counter(
    ['check', 'severity', 'of'],
    'Findings of the checks of print files: of files of orders when they are stored, and of preflights.',
  ),
  pressline_outbox_pending: gauge(['kind'], 'Outbox rows that are not delivered, at most 100,000.'),
  pressline_outbox_oldest_age_seconds: gauge(
    ['kind'],
    'Age of the oldest outbox row that is not delivered. 0 without one.',
  ),
  pressline_outbox_dead: gauge(['kind'], 'Dead outbox rows.'),
  pressline_standby_reads_total: counter(
    ['server'],
    'Reads that may use a standby of Postgres, by the server that was read: standby or primary.',
  ),
  pressline_outbox_deliveries_total: counter(['kind', 'outcome'], 'Delivery attempts of outbox rows.'),
  pressline_postbacks_total: counter(['partner', 'status', 'outcome'], 'Status postbacks of partners.'),
  pressline_postbacks_unhandled_oldest_age_seconds: gauge(
    [],
    'Age of the oldest stored postback that no order run has processed. 0 without one.',
  ),
  pressline_channel_orders_waiting_oldest_age_seconds: gauge(
    [],
    'Time since the arrival of the oldest order in the inbox of a channel. 0 without one.',
  ),
  pressline_partner_deliveries_total: counter(
    ['partner', 'outcome'],
    'Attempts to deliver print orders, order updates and cancel requests to partners.',
  ),
  pressline_labels_total: counter(['carrier', 'outcome'], 'Attempts to buy labels.'),
  pressline_notifications_total: counter(['outcome'], 'Attempts to deliver notifications to webhook endpoints.'),
  pressline_carrier_events_total: counter(['carrier', 'outcome'], 'Tracking events that carriers reported.'),
  pressline_tracking_checks_total: counter(
    ['carrier', 'outcome'],
    'Attempts to read the tracking of a parcel from its carrier.',
  ),
  pressline_reconcile_last_success_timestamp_seconds: gauge(
    [],
    'Unix time of the end of the last successful reconciliation. 0 before the first.',
  ),
  pressline_reconcile_differences_total: counter(
    ['kind'],
    'Differences between Postgres and Temporal that reconciliations found.',
  ),
  pressline_job_last_success_timestamp_seconds: gauge(
    ['job'],
    'Unix time of the end of the last successful run of each periodic job. 0 before the first.',
  ),
  pressline_job_failed: gauge(['job'], 'Whether the last run of each periodic job failed: 1 or 0.'),
  pressline_job_duration_seconds: histogram(['job'], JOB_BOUNDS, 'Duration of runs of periodic jobs.'),
  pressline_activity_waits_total: counter(
    ['queue'],
    'Attempts of activities that were postponed because their client or partner had its share of the worker’s slots, or their partner as many calls under way as it may have.',
  ),
  pressline_errors_total: counter(['where'], 'Unexpected exceptions, by the part of the process that caught them.'),
  pressline_db_connections: gauge(
    ['state'],
    'Postgres connections of this process: used, idle, and queries waiting for one.',
  ),
  pressline_db_connection_wait_seconds: histogram(
    [],
    HTTP_BOUNDS,
    'Waits for a free Postgres connection. Statements that find one at once are not counted.',
  ),
  nodejs_eventloop_delay_seconds: gauge(['quantile'], 'Delay of the event loop since the previous scrape.'),
  nodejs_heap_used_bytes: gauge([], 'Used heap of V8.'),
  nodejs_heap_limit_bytes: gauge([], 'Limit of the heap of V8.'),
  process_resident_memory_bytes: gauge([], 'Resident memory of the process.'),
  process_cpu_seconds_total: counter([], 'User and system CPU time of the process.'),
  process_start_time_seconds: gauge([], 'Unix time at which the process started.'),
} as const;

export type MetricName = keyof typeof METRICS;
export type MetricLabels<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;
type MetricOfType<Type> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = MetricOfType<'counter'>;
export type GaugeName = MetricOfType<'gauge'>;
export type HistogramName = MetricOfType<'histogram'>;

/** Outcomes of an attempt: the receiver accepted it, refused it, or gave no response that decides. */
export const ATTEMPT_OUTCOMES = ['accepted', 'refused', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
