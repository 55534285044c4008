import type { RateTable } from '../../platform/domain/money';
import type { SafeClient } from '../../platform/http/safe-client';
import type { CarrierAdapter } from '../carrier';
import { createEasyPostApi, EASYPOST_UID } from './api';
import { buyFromEasyPost, voidAtEasyPost } from './purchases';
import { quoteEasyPost } from './rates';
import { trackAtEasyPost } from './trackers';

/** Timeout of each call. A purchase makes up to four calls, which must end before the next attempt begins. */
const TIMEOUT_MS = 8_000;

export interface EasyPostOptions {
  readonly apiKey: string;
  /** With the API version and a trailing slash: `https://api.easypost.com/v2/`. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs?: number;
  /** Downloads labels, which EasyPost stores outside its API. */
  readonly client: SafeClient;
  /** Returns the current exchange rates. */
  readonly rates: () => Promise<RateTable>;
}

/** Creates the adapter of EasyPost, a gateway to many carriers. It uses EasyPost's official client. */
export function createEasyPostGateway(options: EasyPostOptions): CarrierAdapter {
  const { apiKey, baseUrl, timeoutMs = TIMEOUT_MS, client } = options;
  const api = createEasyPostApi({ apiKey, baseUrl, timeoutMs });
  return {
    uid: EASYPOST_UID,
    quote: async (consignment) => quoteEasyPost(api, consignment, await options.rates()),
    buy: (request) => buyFromEasyPost({ api, client, timeoutMs }, request),
    void: ({ idempotencyKey }) => voidAtEasyPost(api, idempotencyKey),
    // EasyPost publishes a limit for lists only (5 requests a second) and limits other requests by its load
    // (https://docs.easypost.com/guides/rate-limiting-guide). A tracker is one request.
    trackingLimits: { batch: 20, perSecond: 20 },
    track: (trackingNumbers) => trackAtEasyPost(api, trackingNumbers),
  };
}
