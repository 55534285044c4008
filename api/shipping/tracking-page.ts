import { z } from 'zod';
import {
  readPublicTracking,
  renderTracking,
  renderUnknownTracking,
  TRACKING_PAGE_HEADERS,
} from '../../src/shipping/tracking/tracking-page';
import type { ApiDeps } from '../deps';
import { openRoute, RawResponse, type Route } from '../http/route';

/** `GET /track/{trackingNumber}`: the public tracking page, to which the tracking links of built-in carriers lead. */
export function trackingPageRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return openRoute({
    method: 'get',
    path: '/track/{trackingNumber}',
    operationId: 'getTrackingPage',
    summary: 'Show where a package is',
    description:
      'A public HTML page with the steps of a package. It needs no key and shows no personal data: places are city and country at most. 404 for an unknown number.',
    tag: 'Shipping',
    params: z.object({ trackingNumber: z.string().min(1).max(100) }),
    response: z.unknown(),
    contentType: 'text/html',
    handler: async ({ params }) => {
      const tracking = await readPublicTracking(sql, params.trackingNumber);
      return tracking === null
        ? new RawResponse(404, TRACKING_PAGE_HEADERS, renderUnknownTracking())
        : new RawResponse(200, TRACKING_PAGE_HEADERS, renderTracking(tracking));
    },
  });
}
