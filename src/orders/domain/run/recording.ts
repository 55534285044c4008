import { deriveFinancialStatus } from '../lifecycle/derive';
import { takeEarly } from '../lifecycle/early-events';
import { reduce } from '../lifecycle/reduce';
import type { RunEffect, RunEvent } from '../lifecycle/run-events';
import type { RunState } from '../lifecycle/run-state';
import type { FinancialStatus } from '../lifecycle/statuses';
import type { RecordStep, RunRecord } from './run-messages';
import { rowsOf } from './run-rows';

const RECORDED_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'refund',
  'tracking_code',
]);

/** What the records of one workflow task have in common. */
export interface RecordBase {
  readonly orderId: string;
  readonly clientId: string;
  readonly runId: string;
  readonly position: number;
  /** The record before. */
  readonly follows: RecordStep | null;
  /** Null: as it was when this run started. */
  readonly financialStatus: FinancialStatus | null;
}

/** One turn of the main loop: what the events changed. */
export interface RecordedStep {
  readonly before: RunState;
  readonly after: RunState;
  readonly effects: readonly RunEffect[];
  /** Event ids of the postbacks that the step has processed. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: RunRecord['refusal'];
}

/** Returns the record of a step. */
export function recordOf(
  base: RecordBase,
  { before, after, effects, handledPostbacks, refusal }: RecordedStep,
): RunRecord {
  const statuses = new Map(before.items.map((item) => [item.id, item.status]));
  const changes = after.items
    .filter((item) => statuses.get(item.id) !== item.status)
    .map(({ id, status }): RunEffect => ({ type: 'log', event: 'status', itemId: id, data: { status } }));
  return {
    ...base,
    version: after.version,
    ...rowsOf(after),
    financialStatus: deriveFinancialStatus(before, after, effects) ?? base.financialStatus,
    effects: [...effects.filter((effect) => RECORDED_EFFECTS.has(effect.type)), ...changes],
    handledPostbacks,
    refusal,
  };
}

/**
 * What an activity needs to record the event with which it ends. The workflow reserves the next version for it, so that no
 * other record has its step. The workflow writes the event itself when its state has changed meanwhile.
 */
export interface Recording extends RecordBase {
  readonly state: RunState;
}

/** Returns the record of an event, or null for an event that changes nothing. */
export function recordOfEvent(recording: Recording, event: RunEvent): RunRecord | null {
  const { state: before, ...base } = recording;
  const { state: after, effects } = reduce(before, event);
  if (after === before || takeEarly(after).due.length > 0) return null;
  return recordOf(base, { before, after, effects, handledPostbacks: [], refusal: null });
}

/** Returns what the record of the next event needs, after an event. */
export function recordingAfter(recording: Recording, event: RunEvent): Recording {
  const record = recordOfEvent(recording, event);
  if (record === null) return recording;
  return {
    ...recording,
    state: reduce(recording.state, event).state,
    follows: { position: record.position, version: record.version },
    financialStatus: record.financialStatus,
  };
}
