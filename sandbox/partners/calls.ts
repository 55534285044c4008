import type { Outbound, PresslineResponse } from '../outbound';

/** Calls to Pressline with the partner's API key. */
export interface PartnerCalls {
  /**
   * Posts a message and retries passing faults.
   * @param message an object, or JSON text that is sent unchanged
   */
  send(path: string, message: unknown, retryOn?: (response: PresslineResponse) => boolean): Promise<PresslineResponse>;
  read(path: string): Promise<PresslineResponse>;
}

export function createPartnerCalls(outbound: Outbound, apiKey: string): PartnerCalls {
  return {
    send: (path, message, retryOn) =>
      outbound.send({
        method: 'POST',
        path,
        headers: { 'x-api-key': apiKey },
        body: typeof message === 'string' ? message : JSON.stringify(message),
        ...(retryOn === undefined ? {} : { retryOn }),
      }),
    read: (path) => outbound.send({ method: 'GET', path, headers: { 'x-api-key': apiKey } }),
  };
}
