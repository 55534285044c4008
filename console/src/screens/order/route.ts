import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import type { TimelineKind } from '../../../../client/order-story';
import { rootRoute } from '../../routing/root-route';
import { keyOf } from '../../routing/search-params';

/** What the timeline shows: everything, or entries of one kind. Absent: each thing that happened once. */
const TIMELINES: Readonly<Record<TimelineKind | 'all', null>> = {
  all: null,
  event: null,
  repair: null,
  postback: null,
  request: null,
  checkpoint: null,
  notification: null,
};

export const orderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders/$orderId',
  validateSearch: z.object({ timeline: keyOf(TIMELINES) }),
  component: lazyRouteComponent(() => import('./order-screen'), 'OrderScreen'),
});
