import { z } from 'zod';
import {
  readPublicTracking,
  renderTracking,
  renderUnknownTracking,
  TRACKING_PAGE_HEADERS,
} from '../../src/shipping/tracking/tracking-page';
import type { ApiDeps } from '../deps';
import { callerNetwork } from '../http/caller-address';
import { createFailureLimiter } from '../http/failure-limit';
import { openRoute, RawResponse, type Route } from '../http/route';

/**
 * `GET /track/{code}`: the public tracking page, to which the tracking links of built-in carriers lead by a random id. A tracking
 * number opens it too, for callers of one address a limited number of times, because numbers are consecutive.
 */
export function trackingPageRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const byNumber = createFailureLimiter('tracking_number');
  return openRoute({
    method: 'get',
    path: '/track/{code}',
    operationId: 'getTrackingPage',
    summary: 'Show where a package is',
    description:
      'A public HTML page with the steps of a package. It needs no key and shows no personal data: places are city and country at most. `code` is the random id of the tracking link, or the tracking number. 404 for an unknown one. 429 after ' +
      '100 numbers in an hour from one address; tracking links always work.',
    tag: 'Shipping',
    params: z.object({ code: z.string().min(1).max(100) }),
    response: z.unknown(),
    contentType: 'text/html',
    handler: async ({ params: { code }, address }) => {
      let tracking = await readPublicTracking(sql, { shortUid: code });
      if (tracking === null) {
        const network = callerNetwork(address);
        byNumber.check(network);
        byNumber.failed(network);
        tracking = await readPublicTracking(sql, { trackingNumber: code });
      }
      return tracking === null
        ? new RawResponse(404, TRACKING_PAGE_HEADERS, renderUnknownTracking())
        : new RawResponse(200, TRACKING_PAGE_HEADERS, renderTracking(tracking));
    },
  });
}
