import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Logger } from '../../src/platform/logging/logging';
import type { Outbound, PresslineResponse } from '../outbound';

/** A tracking event as a carrier sends it. */
export interface CarrierEvent {
  /** Identifies the scan. Every copy of the event has the same id. */
  readonly id: string;
  readonly trackingNumber: string;
  readonly statusUid: string;
  readonly message: string;
  readonly location: string;
  readonly createdAt: string;
}

export interface EventSender {
  /** Signs the events and sends them in one message. */
  send(carrierUid: string, events: readonly unknown[]): Promise<PresslineResponse>;
  /** Queues one event. Resolves with the HTTP status of the message that carried it. */
  report(carrierUid: string, event: CarrierEvent): Promise<number>;
}

/** Largest number of events in one message. */
const MAX_BATCH = 100;

/**
 * Sends tracking events to POST /v1/carriers/{carrierUid}/events as `{events: CarrierEvent[]}`, signed by Standard
 * Webhooks with the carrier's secret. Each carrier has one message in flight; events that arrive meanwhile form the
 * next batch.
 */
export function createEventSender(deps: {
  /** `whsec_` and base64, by carrier uid. */
  secrets: Readonly<Record<string, string>>;
  outbound: Outbound;
  log: Logger;
}): EventSender {
  const { outbound, log } = deps;
  const lastSends = new Map<string, Promise<unknown>>();
  const queues = new Map<string, { event: CarrierEvent; resolve: (status: number) => void }[]>();

  function send(carrierUid: string, events: readonly unknown[]): Promise<PresslineResponse> {
    const id = `msg_${randomUUID()}`;
    const body = JSON.stringify({ events });
    // Pressline refuses a carrier without a secret.
    const secret = deps.secrets[carrierUid];
    return outbound.send({
      method: 'POST',
      path: `/v1/carriers/${encodeURIComponent(carrierUid)}/events`,
      // Each attempt has a new signature, because the receiver refuses old timestamps.
      headers: () => {
        const now = new Date();
        return {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': secret === undefined ? '' : new Webhook(secret).sign(id, now, body),
        };
      },
      body,
    });
  }

  async function sendNextBatch(carrierUid: string): Promise<void> {
    const batch = queues.get(carrierUid)?.splice(0, MAX_BATCH) ?? [];
    if (batch.length === 0) return;
    const response = await send(
      carrierUid,
      batch.map(({ event }) => event),
    );
    if (response.status >= 300) log.warn({ carrierUid, response }, 'Pressline refused carrier events');
    for (const { resolve } of batch) resolve(response.status);
  }

  return {
    send,
    report: (carrierUid, event) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(carrierUid) ?? [];
        queues.set(carrierUid, queue);
        queue.push({ event, resolve });
        const previous = lastSends.get(carrierUid) ?? Promise.resolve();
        const next = previous.then(() => sendNextBatch(carrierUid));
        lastSends.set(
          carrierUid,
          next.catch(() => undefined),
        );
        next.catch(reject);
      }),
  };
}
