import { orderWorkflowId } from '../../platform/domain/workflows';
import { historyLengthOf } from '../domain/run/run-position';
import type { Counts } from './differences';
import type { ReconcileDeps } from './reconciliation';
import { restartRun } from './restart-run';
import { lookUpRun, viewOfRun } from './runs';

/** The rows of an order whose workflow is running. */
export interface RecordedVersion {
  readonly id: string;
  readonly runVersion: number;
  /** Of the run that wrote the rows. Null before the first record. */
  readonly runId: string | null;
  readonly runPosition: number;
  /** True when nothing is left to do: the order has a final status, or no carrier follows its parcels. */
  readonly hasEnded: boolean;
}

/** The Temporal UI shows it at the end of the history. */
const REASON = 'The rows of the order are newer: Temporal was restored from a backup';

/**
 * Ends a running workflow whose state is older than the rows of its order, as after a restore of Temporal from a backup. The
 * workflow of an open order starts again in the state that its last record has stored. A workflow with a pending workflow
 * task or activity is left alone: its state is about to change.
 * @throws the client's error when Temporal is unavailable, and the errors of `viewOfRun`
 */
export async function replaceOutdatedRun(deps: ReconcileDeps, order: RecordedVersion): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const orderId = order.id;
  const workflowId = orderWorkflowId(orderId);
  const run = await lookUpRun(temporal, workflowId);
  if (run.status !== 'running' || run.busy || run.working) return {};
  // To read the state, a worker replays the workflow. The history of a run only grows.
  const isInStep = run.runId === order.runId && run.historyLength >= historyLengthOf(order.runPosition);
  if (isInStep && !order.hasEnded) return {};
  const { version } = await viewOfRun(temporal, workflowId);
  if (version >= order.runVersion) return {};
  const end = async () => {
    await temporal.workflow.getHandle(workflowId, run.runId).terminate(REASON);
  };
  const versions = { run: version, rows: order.runVersion };
  if (order.hasEnded) {
    await end();
    log.warn({ orderId, versions }, 'reconciled: the outdated workflow of an ended order was ended');
    return { outdated: 1 };
  }
  if (!(await restartRun(sql, settings, orderId, { version, end }))) return {};
  log.warn({ orderId, versions }, 'reconciled: the outdated workflow of an open order was started again');
  return { outdated: 1 };
}
