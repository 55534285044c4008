/**
 * Returns the task queue of activities that fetch print files. They may take long, so they have slots of their own. Workflows
 * and all other activities use TEMPORAL_TASK_QUEUE, after which this queue is named.
 */
export function fileQueueOf(taskQueue: string): string {
  return `${taskQueue}-files`;
}

/** Returns the task queue of preflights. They have few slots of their own, so that they never hold back files of orders. */
export function preflightQueueOf(taskQueue: string): string {
  return `${taskQueue}-preflights`;
}
