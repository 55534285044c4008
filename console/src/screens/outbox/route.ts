import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
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

export const outboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/outbox',
  validateSearch: ({ state, kind, target }: Record<string, unknown>): OutboxSearch => ({
    state: STATES.find((each) => each === state),
    kind: KINDS.find((each) => each === kind),
    target: typeof target === 'string' && target !== '' ? target : undefined,
  }),
  component: lazyRouteComponent(() => import('./outbox-screen'), 'OutboxScreen'),
});
