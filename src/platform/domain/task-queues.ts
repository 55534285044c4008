/**
 * Task queues of a worker process. Workflows and their short activities use TEMPORAL_TASK_QUEUE. What may take long has a queue
 * with slots of its own, named after that one, so that it never holds the slots of the others.
 */

/** Returns the queue of activities that fetch print files. */
export function fileQueueOf(taskQueue: string): string {
  return `${taskQueue}-files`;
}

/** Returns the queue of the activities of periodic jobs and bulk repairs. */
export function jobQueueOf(taskQueue: string): string {
  return `${taskQueue}-jobs`;
}
