import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { archivedByTrackingNumber, readArchived } from '../../src/orders/archive/archived-order';
import { withRows } from '../../src/orders/archive/archived-tables';
import { Refusal } from '../../src/platform/errors';
import { readTracking, trackingSchema } from '../../src/shipping/tracking/tracking-view';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `GET /v1/tracking/{trackingNumber}` (operation `getTracking`). */
export function trackingRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  const readArchivedTracking = async (number: string, account: Account) => {
    for (const id of await archivedByTrackingNumber(sql, [number, number.replace(/\s+/g, '')])) {
      const archived = await readArchived({ sql, objects }, id);
      const tracking = archived && (await readTracking(sql, number, account, withRows(sql, archived)));
      if (tracking !== null) return tracking;
    }
    return null;
  };

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
      const { trackingNumber } = params;
      const tracking =
        (await readTracking(sql, trackingNumber, account)) ?? (await readArchivedTracking(trackingNumber, account));
      if (tracking === null) throw new Refusal('TRACKING_DETAILS_NOT_FOUND');
      return tracking;
    },
  });
}
