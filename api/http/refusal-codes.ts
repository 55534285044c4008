import type { ErrorCode } from '../../src/platform/errors';
import type { Route } from './route';

/** Returns the error codes that a route can respond with: those of the HTTP framework, then those of its handler. */
export function refusalCodes(route: Route): ErrorCode[] {
  const { access, path, params, query, body, idempotent, isSigned, upload, refuses = [] } = route;
  const codes: ErrorCode[] = ['INTERNAL_ERROR', 'UNAVAILABLE'];
  if (params ?? query ?? body ?? idempotent) codes.push('VALIDATION_ERROR');
  if (body) codes.push('MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (upload) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (access.credentials !== 'none') {
    codes.push('FORBIDDEN', 'RATE_LIMITED');
    if (!path.startsWith('/procurement/')) codes.push('UNAUTHORIZED');
  }
  if (isSigned) codes.push('UNAUTHORIZED', 'RATE_LIMITED');
  if (path.includes('{')) codes.push('NOT_FOUND');
  if (idempotent) codes.push('IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED');
  return [...codes, ...refuses.filter((code) => !codes.includes(code))];
}
