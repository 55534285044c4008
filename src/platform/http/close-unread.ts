import type { Readable } from 'node:stream';

/** Ends a body that nobody reads. Some streams emit an error then. Without a listener it would end the process. */
export function closeUnread(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
