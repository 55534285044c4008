import type { Answer, Input } from '../../api/call';

type Request = Input<'startBulkRepair'>['body'];
export type BulkAction = Request['action'];

/** The acts on many orders, in the order of their buttons. */
export const BULK_ACTIONS = [
  'retry',
  'reroute',
  'reproduce',
  'release',
  'hold',
  'cancel',
  'dismiss',
] as const satisfies readonly BulkAction[];

export interface SelectedOrder {
  readonly id: string;
  readonly orderReferenceId: string;
}

type Started = Extract<Answer<'startBulkRepair'>, { id: string }>;
type DryRun = Exclude<Answer<'startBulkRepair'>, Started>;

export const isStarted = (answer: Started | DryRun): answer is Started => 'id' in answer;
