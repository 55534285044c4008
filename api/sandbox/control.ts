import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';

/** Timeout of a control call: the sandbox may wait for a response of this API. */
const TIMEOUT_MS = 25_000;
const LIMIT_BYTES = 4 * 1024 * 1024;

/** Passes a control call on and returns the response of the sandbox. */
export type SandboxControl = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

/**
 * Returns a function that calls the control API of the sandbox (docs/sandbox.md).
 * @throws Refusal `NOT_FOUND` when no sandbox runs with this API or the sandbox does not know the object, `PUBLIC_API_ERROR` when it
 *   refuses the call, `UNAVAILABLE` when it does not respond
 */
export function sandboxControl({ client, sandboxUrl }: Pick<ApiDeps, 'client' | 'sandboxUrl'>): SandboxControl {
  return async (method, path, body) => {
    if (sandboxUrl === undefined) throw new Refusal('NOT_FOUND', { message: 'No sandbox runs with this API.' });
    const response = await client.exchange({
      url: `${sandboxUrl}/control${path}`,
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      limitBytes: LIMIT_BYTES,
    });
    if (!response.ok)
      throw new Refusal('UNAVAILABLE', { message: `The sandbox does not respond. ${response.message}` });
    const received: unknown = JSON.parse(response.text);
    if (response.status < 400) return received;
    const message = String((received as { error?: unknown }).error);
    throw new Refusal(response.status === 404 ? 'NOT_FOUND' : 'PUBLIC_API_ERROR', { message });
  };
}
