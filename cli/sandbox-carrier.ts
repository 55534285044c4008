import type { CarrierAdapter } from '../src/carriers/carrier';
import type { SafeClient } from '../src/platform/http/safe-client';

const TIMEOUT_MS = 5_000;
const LIMIT_BYTES = 4_096;

/**
 * Returns a carrier that refuses to sell labels while the sandbox says so (docs/sandbox.md). It sells them when the sandbox does
 * not respond.
 */
export function sandboxCarrier(adapter: CarrierAdapter, sandboxUrl: string, client: SafeClient): CarrierAdapter {
  const url = `${sandboxUrl}/control/carriers/${adapter.uid}/labels`;
  return {
    ...adapter,
    async buy(request) {
      const { signal } = request;
      const response = await client.exchange({
        url,
        method: 'GET',
        timeoutMs: TIMEOUT_MS,
        limitBytes: LIMIT_BYTES,
        ...(signal === undefined ? {} : { signal }),
      });
      const { refusal } =
        response.ok && response.status === 200
          ? (JSON.parse(response.text) as { readonly refusal: string | null })
          : { refusal: null };
      return refusal === null
        ? await adapter.buy(request)
        : { ok: false, refusal: { code: 'SANDBOX_REFUSAL', message: refusal } };
    },
  };
}
