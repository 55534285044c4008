import { z } from 'zod';
import { Refusal } from '../../src/platform/errors';
import { readTracking, trackingSchema } from '../../src/shipping/tracking/tracking-view';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `GET /v1/tracking/{trackingNumber}` (operation `getTracking`). */
export function trackingRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    method: 'get',
    path: '/v1/tracking/{trackingNumber}',
    operationId: 'getTracking',
    summary: 'Read where a package is',
    tag: 'Shipping',
    access: { credentials: 'key', roles: ['client', 'partner', 'operator'], operatorRole: 'viewer' },
    errors: 'tracking',
    params: z.object({ trackingNumber: z.string().min(1).max(100) }),
    response: trackingSchema,
    handler: async ({ params, account }) => {
      const tracking = await readTracking(sql, params.trackingNumber, account);
      if (tracking === null) throw new Refusal('TRACKING_DETAILS_NOT_FOUND');
      return tracking;
    },
  });
}
