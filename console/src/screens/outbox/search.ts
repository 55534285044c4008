import { texts } from '../../texts';

export type MessageState = keyof typeof texts.outbox.states;
export type MessageKind = keyof typeof texts.outbox.kinds;

export const STATES = Object.keys(texts.outbox.states) as readonly MessageState[];
export const KINDS = Object.keys(texts.outbox.kinds) as readonly MessageKind[];

/** The filters of the list, as the address holds them. Without a state the list has the dead letters. */
export interface OutboxSearch {
  readonly state?: MessageState | undefined;
  readonly kind?: MessageKind | undefined;
  readonly target?: string | undefined;
}
