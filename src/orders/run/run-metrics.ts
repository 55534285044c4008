import type { Metrics } from '../../platform/metrics/metrics';
import { ENDED_ORDERS, type OrderStatus, PROGRESS_RANK } from '../domain/lifecycle/statuses';

export interface RecordedChange {
  readonly before: OrderStatus;
  readonly after: OrderStatus;
  /** Time since the order was accepted, in seconds. */
  readonly ageSeconds: number;
}

export type RunObserver = (change: RecordedChange) => void;

/** The stages that end when all items have at least this status. */
const STAGES = { receive: 'in_production', print: 'printed', ship: 'shipped', deliver: 'delivered' } as const;
/** `deliverPrintOrder` measures the stage `handover`, once for each print order. */
const STAGE_NAMES = ['start', 'handover', ...Object.keys(STAGES)];

/**
 * Returns a function that measures what each record of an order run changed. A stage that ends while an order is on hold is
 * not measured.
 */
export function createRunObserver(metrics: Metrics): RunObserver {
  for (const status of ENDED_ORDERS) metrics.count('pressline_orders_ended_total', { status }, 0);
  for (const stage of STAGE_NAMES) metrics.expectObservations('pressline_order_stage_duration_seconds', { stage });
  return ({ before, after, ageSeconds }) => {
    const end = (stage: string) => metrics.observe('pressline_order_stage_duration_seconds', { stage }, ageSeconds);
    if (before === 'created' && after !== 'created') end('start');
    for (const [stage, status] of Object.entries(STAGES))
      if (rankOf(before) < PROGRESS_RANK[status] && rankOf(after) >= PROGRESS_RANK[status]) end(stage);
    if (ENDED_ORDERS.includes(after) && !ENDED_ORDERS.includes(before))
      metrics.count('pressline_orders_ended_total', { status: after });
  };
}

/** NaN without a rank: an order that is on hold, failed or canceled ends no stage. */
const rankOf = (status: OrderStatus): number =>
  status in PROGRESS_RANK ? PROGRESS_RANK[status as keyof typeof PROGRESS_RANK] : Number.NaN;
