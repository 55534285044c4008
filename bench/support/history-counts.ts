import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { inParallel } from './in-parallel';

const { EventType } = temporal.api.enums.v1;

/** Mean counts of the histories of some workflows. */
export interface HistoryCounts {
  readonly events: number;
  readonly workflowTasks: number;
  readonly localActivities: number;
  readonly activities: number;
  /** As the server reports it. */
  readonly bytes: number;
  /**
   * Billable actions of Temporal Cloud by type (https://docs.temporal.io/cloud/actions), without queries and rejected updates,
   * which are not in the history.
   */
  readonly actions: Readonly<Record<ActionType, number>>;
}

type ActionType = 'workflow' | 'activity' | 'local activities' | 'timer' | 'signal' | 'update' | 'search attributes';

/** Reads the histories of workflows and counts what they contain. */
export async function countHistories(client: Client, workflowIds: readonly string[]): Promise<HistoryCounts> {
  const totals = { events: 0, workflowTasks: 0, localActivities: 0, activities: 0, bytes: 0 };
  const actions: Record<ActionType, number> = {
    workflow: 0,
    activity: 0,
    'local activities': 0,
    timer: 0,
    signal: 0,
    update: 0,
    'search attributes': 0,
  };
  await inParallel(workflowIds.length, 4, async (index) => {
    const handle = client.workflow.getHandle(workflowIds[index]!);
    const { events } = await handle.fetchHistory();
    totals.bytes += (await handle.describe()).historySize ?? 0;
    totals.events += events!.length;
    /** Local activities of one workflow task are one action. */
    const tasksWithLocalActivities = new Set<string>();
    for (const event of events!) {
      const marker = event.markerRecordedEventAttributes;
      if (marker?.markerName === 'core_local_activity') {
        totals.localActivities += 1;
        tasksWithLocalActivities.add(String(marker.workflowTaskCompletedEventId));
      }
      switch (event.eventType) {
        case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
          actions.workflow += 1;
          break;
        case EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
          totals.workflowTasks += 1;
          break;
        case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
          totals.activities += 1;
          break;
        case EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
          // One for each attempt; the event is written with the last one.
          actions.activity += event.activityTaskStartedEventAttributes!.attempt!;
          break;
        case EventType.EVENT_TYPE_TIMER_STARTED:
          actions.timer += 1;
          break;
        case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
          actions.signal += 1;
          break;
        case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
          actions.update += 1;
          break;
        case EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
          actions['search attributes'] += 1;
      }
    }
    actions['local activities'] += tasksWithLocalActivities.size;
  });
  const mean = (value: number) => value / workflowIds.length;
  return {
    events: mean(totals.events),
    workflowTasks: mean(totals.workflowTasks),
    localActivities: mean(totals.localActivities),
    activities: mean(totals.activities),
    bytes: mean(totals.bytes),
    actions: Object.fromEntries(Object.entries(actions).map(([type, count]) => [type, mean(count)])) as Record<
      ActionType,
      number
    >,
  };
}
