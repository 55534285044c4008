import type { Logger } from '../logging/logging';
import type { Sql } from '../postgres';
import type { Lane, RelayObserver } from './lane';
import { LaneRunner } from './lane-runner';
import { OUTBOX_CHANNEL } from './outbox';

export interface Relay {
  /** Stops claiming rows and waits for deliveries in progress. */
  stop(): Promise<void>;
}

/**
 * Delivers outbox rows until stopped. Any number of processes can run relays at the same time.
 * Each lane has its own loop, which NOTIFY and a timer wake.
 *
 * What holds for the order of delivery to one target, on a lane without `perKey`:
 * - A relay delivers the rows that it claims in the order in which they were written, one at a time, across batches.
 * - A row that is retried postpones the rows that were claimed with it. Rows written later overtake it.
 * - Relays of several processes do not wait for each other. While one delivers a row, another can deliver a later row of
 *   the same target.
 * - Rows of transactions that overlap have no order.
 * Receivers must therefore accept messages in any order, and more than once.
 */
export async function startRelay(options: {
  sql: Sql;
  /** Pool that listens with a connection of its own. Unset: `sql`, which must then not go through a pooler. */
  listener?: Sql | undefined;
  lanes: readonly Lane[];
  log: Logger;
  observer?: RelayObserver;
}): Promise<Relay> {
  const { sql, listener = sql, log, observer } = options;
  const runners = options.lanes.map((lane) => new LaneRunner(sql, lane, log.child({ lane: lane.kind }), observer));
  const kinds = options.lanes.map(({ kind }) => kind);
  const notify = (kind: string) => {
    for (const runner of runners) if (runner.lane.kind === kind) runner.notify();
  };
  // Notifications are lost while the connection is down.
  const subscription = await listener.listen(OUTBOX_CHANNEL, notify, () => kinds.forEach(notify));
  const loops = runners.map((runner) => runner.run());
  return {
    async stop() {
      for (const runner of runners) runner.stop();
      await subscription.unlisten().catch(() => undefined);
      await Promise.all(loops);
    },
  };
}
