import { setTimeout as wait } from 'node:timers/promises';
import { S10_SERIALS, s10 } from '../../src/carriers/domain/tracking-numbers';
import type { PostbackStatus, ScriptedStep } from '../behaviour';
import type { PartnerCalls } from './calls';
import type { PartnerContext } from './partner-context';
import type { PrintOrderRecord } from './partner-record';

/** The fields of a postback besides time and print order (schema `StatusPostback`). */
interface Postback {
  readonly status: PostbackStatus;
  readonly message?: string;
  readonly orderItemId?: string;
  readonly items?: readonly { readonly orderItemId: string; readonly quantity?: number }[];
  readonly trackingCode?: string;
  readonly trackingLink?: string;
}

export interface PostbackSender {
  /** Sends the postbacks of a step, `copies` of each at the same time. With several copies, one more follows later. */
  sendStep(
    record: PrintOrderRecord,
    step: ScriptedStep & { do: 'postback' },
    copies: number,
    later: (work: Promise<unknown>) => void,
  ): Promise<void>;
  sendError(record: PrintOrderRecord, message: string): Promise<void>;
  /** Confirms a cancel request. Without `itemIds` the postback covers the whole print order. */
  sendCancelled(record: PrintOrderRecord, itemIds?: readonly string[]): Promise<void>;
  /** Sends postbacks that each break one rule. Pressline must refuse all of them. */
  sendFaulty(record: PrintOrderRecord): Promise<void>;
}

export function createPostbackSender(
  { pace, signal, enter, log }: PartnerContext,
  calls: PartnerCalls,
): PostbackSender {
  async function sendCopy(
    record: PrintOrderRecord,
    { status, orderItemId }: { status: string; orderItemId?: string },
    body: string,
  ): Promise<void> {
    const response = await calls.send('/v2/order/status', body);
    enter({
      type: 'postback',
      printOrderId: record.id,
      status,
      responseStatus: response.status,
      ...(orderItemId === undefined ? {} : { orderItemId }),
    });
    const level = response.status < 300 ? 'debug' : 'warn';
    log[level]({ printOrderId: record.id, status, orderItemId, response }, 'Pressline responded to a postback');
  }

  const bodyOf = (record: PrintOrderRecord, postback: Postback) =>
    JSON.stringify({ timestamp: new Date().toISOString(), orderId: record.id, ...postback });

  return {
    async sendStep(record, step, copies, later) {
      for (const postback of postbacksOf(record, step)) {
        if (step.ownTracking !== undefined) {
          const isFollowed = step.ownTracking === 'followed';
          enter({ type: 'own-parcel', printOrderId: record.id, trackingNumber: postback.trackingCode!, isFollowed });
        }
        const body = bodyOf(record, postback);
        await Promise.all(Array.from({ length: copies }, () => sendCopy(record, postback, body)));
        if (copies === 1) continue;
        // The late copy does not delay the work. It arrives during the next step.
        later(wait(pace.printed, undefined, { signal }).then(() => sendCopy(record, postback, body)));
      }
    },

    async sendError(record, message) {
      const postback = { status: 'error', message } as const;
      await sendCopy(record, postback, bodyOf(record, postback));
    },

    async sendCancelled(record, itemIds) {
      const items = itemIds?.map((orderItemId) => ({ orderItemId }));
      const postback = {
        status: 'cancelled',
        message: 'Cancelled as requested',
        ...(items === undefined ? {} : { items }),
      } as const;
      await sendCopy(record, postback, bodyOf(record, postback));
    },

    async sendFaulty(record) {
      const timestamp = new Date().toISOString();
      const orderItemId = record.itemIds[0] ?? '1';
      const faulty: readonly Record<string, unknown>[] = [
        { timestamp, orderId: record.id, status: 'printed', items: [{ orderItemId }] },
        { timestamp, orderId: record.id, status: 'finished' },
        { timestamp, orderId: record.id, status: 'error' },
        { timestamp, orderId: record.id, status: 'printed', orderItemId: '999999999999' },
        { timestamp, orderId: '999999999999', status: 'printed' },
        { orderId: record.id, status: 7 },
      ];
      for (const postback of faulty) {
        await sendCopy(record, { status: `faulty ${String(postback.status)}` }, JSON.stringify(postback));
      }
    },
  };
}

/** Returns a postal tracking number of the partner's country for a print order. Labels of Pressline have other first letters. */
function postalNumber({ id, order }: PrintOrderRecord): string {
  const sender = order!.shipping.address.find(({ type }) => type === 'sender');
  return s10('R', Number(id) % S10_SERIALS, sender!.countryCode);
}

/** Returns the postbacks of a step: one for the print order, or one for each item that the partner still produces. */
function postbacksOf(record: PrintOrderRecord, step: ScriptedStep & { do: 'postback' }): Postback[] {
  const { status, message } = step;
  const base: Postback = { status, ...(message === undefined ? {} : { message }) };
  if (step.firstItem !== undefined) {
    const orderItemId = record.itemIds[0]!;
    const quantity = step.firstItem === 'whole' ? {} : { quantity: step.firstItem };
    return [{ ...base, items: [{ orderItemId, ...quantity }] }];
  }
  if (step.ownTracking !== undefined) {
    const trackingCode = step.ownTracking === 'followed' ? postalNumber(record) : `OWN${record.id.padStart(9, '0')}`;
    return [{ ...base, trackingCode, trackingLink: `https://couriers.example/track/${trackingCode}` }];
  }
  if (status === 'cancelled' || status === 'error') return [base];
  // A cancelled item is not reported as printed or shipped, so the others are reported one by one.
  if (step.perItem !== true && record.held.size === 0) return [base];
  return record.itemIds.filter((id) => !record.held.has(id)).map((orderItemId) => ({ ...base, orderItemId }));
}
