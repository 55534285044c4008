import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { rootRoute } from '../../routing/root-route';
import { keyOf } from '../../routing/search-params';
import * as texts from '../../texts';

export const orderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders/$orderId',
  /** What the timeline shows: everything, or entries of one kind. Absent: each thing that happened once. */
  validateSearch: z.object({ timeline: keyOf(texts.order.timeline.kinds, { all: null }) }),
  component: lazyRouteComponent(() => import('./order-screen'), 'OrderScreen'),
});
