import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpFault, TextResponse } from '../../src/platform/http/responses';
import type { SafeClient } from '../../src/platform/http/safe-client';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';

/** How a message is signed. */
export type Signing =
  | 'valid'
  /** A signature by another secret, then the valid one, as during a rotation. */
  | 'rotated'
  /** By another secret. */
  | 'forged'
  /** Of another body. */
  | 'changed-body'
  | 'unsigned'
  /** Ten minutes ago. */
  | 'old'
  /** In ten minutes. */
  | 'future';

export interface CheckLimits {
  /** Milliseconds that a partner has for a response. */
  readonly responseMs: number;
  /** Milliseconds after which a response is slow. */
  readonly slowMs: number;
  /** Pause between the pieces of a slow delivery, in milliseconds. */
  readonly pieceMs: number;
  /** Milliseconds for which postbacks are still awaited after the last print order is shipped. */
  readonly settleMs: number;
  /** Milliseconds after an order update in which a partner may ship with the label that it has. */
  readonly shipSoonMs: number;
}

/** The limits of real deliveries. */
export const CHECK_LIMITS: CheckLimits = {
  responseMs: 20_000,
  slowMs: 5_000,
  pieceMs: 300,
  settleMs: 2_000,
  shipSoonMs: 10_000,
};

/** The response to a message, with the time that it took. */
export type CheckedResponse = (TextResponse | HttpFault) & { readonly durationMs: number };

export interface OutgoingMessage {
  readonly url: string;
  readonly body: unknown;
  readonly signing?: Signing;
  /** Default: a new id. */
  readonly messageId?: string;
  /** Sends the body in pieces, and reads the response after a pause. */
  readonly isSlow?: boolean;
}

export type Send = (message: OutgoingMessage) => Promise<CheckedResponse>;

const SKEW_MS = 10 * 60_000;
const PIECES = 8;
const LIMIT_BYTES = 64 * 1024;

/** Returns the function that sends the messages of a check. */
export function createSend(
  client: SafeClient,
  secrets: readonly string[],
  limits: CheckLimits,
  signal?: AbortSignal,
): Send {
  const otherSecret = newSigningSecret();

  function headersOf(signing: Signing, id: string, body: string): Record<string, string> {
    if (signing === 'unsigned') return {};
    const skewMs = signing === 'old' ? -SKEW_MS : signing === 'future' ? SKEW_MS : 0;
    return signatureHeaders({
      id,
      body: signing === 'changed-body' ? `${body} ` : body,
      at: new Date(Date.now() + skewMs),
      secrets: signing === 'forged' ? [otherSecret] : signing === 'rotated' ? [otherSecret, ...secrets] : secrets,
    });
  }

  return async ({ url, body, signing = 'valid', messageId = `msg_${randomToken(18)}`, isSlow = false }) => {
    const text = JSON.stringify(body);
    const startedAt = performance.now();
    const response = await client.exchange({
      url,
      method: 'POST',
      // A stream without a length would be sent in chunks, which real deliveries are not.
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        ...headersOf(signing, messageId, text),
      },
      body: isSlow ? pieces(text, limits.pieceMs) : text,
      timeoutMs: limits.responseMs,
      limitBytes: LIMIT_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    const sendingMs = isSlow ? (PIECES - 1) * limits.pieceMs : 0;
    return { ...response, durationMs: Math.round(performance.now() - startedAt - sendingMs) };
  };
}

function pieces(text: string, pauseMs: number): Readable {
  const bytes = Buffer.from(text);
  const size = Math.ceil(bytes.length / PIECES);
  return Readable.from(
    (async function* () {
      for (let start = 0; start < bytes.length; start += size) {
        if (start > 0) await sleep(pauseMs);
        yield bytes.subarray(start, start + size);
      }
    })(),
  );
}
