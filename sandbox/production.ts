import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../src/platform/logging';
import { BEHAVIOURS, type PostbackStatus, type ScriptedStep } from './behaviours';
import type { Carriers } from './carrier-events';
import type { Answer, Call, Outbound } from './outbound';
import type { Pace } from './pace';
import { allHeld, type PartnerEntry, type PrintOrderRecord } from './partner-record';
import { workloadOf } from './print-order';

/** How long a partner asks for documents that are refused with 409 before it gives the print order up. */
const DISPATCH_PATIENCE_MS = 10 * 60_000;

/** What a postback says besides time and print order (interface "Events"). */
interface Postback {
  readonly status: PostbackStatus;
  readonly message?: string;
  readonly orderItemId?: string;
  readonly items?: readonly { readonly orderItemId: string; readonly quantity?: number }[];
  readonly trackingCode?: string;
  readonly trackingLink?: string;
}

interface DispatchAnswer {
  readonly documents: readonly {
    readonly type: string;
    readonly contentType: string;
    readonly url: string;
  }[];
  readonly trackingCode?: string;
}

/** Carries out the plan of a taken print order, from the step where it stands. */
export interface Production {
  /**
   * Works until the print order has ended; called again it looks up at once for a cancel order to answer.
   * Beginning anew after a kill may repeat the step that was under way.
   */
  work(record: PrintOrderRecord): void;
}

export function createProduction(deps: {
  name: string;
  apiKey: string;
  outbound: Outbound;
  carriers: Carriers;
  pace: Pace;
  enter: (entry: PartnerEntry) => void;
  signal: AbortSignal;
  log: Logger;
}): Production {
  const { outbound, carriers, pace, enter, signal, log } = deps;

  const asPartner = (path: string, body: unknown): Call => ({
    method: 'POST',
    path,
    headers: { 'x-api-key': deps.apiKey },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

  function end(
    record: PrintOrderRecord,
    state: 'finished' | 'cancelled' | 'given-up',
    reason?: string,
  ): void {
    enter({ type: 'ended', printOrderId: record.id, state, ...(reason === undefined ? {} : { reason }) });
    if (state === 'given-up') log.warn({ printOrderId: record.id, reason }, 'partner gave a print order up');
  }

  async function sendPostback(record: PrintOrderRecord, postback: Postback, copies: number): Promise<string> {
    const body = JSON.stringify({ timestamp: new Date().toISOString(), orderId: record.id, ...postback });
    await Promise.all(Array.from({ length: copies }, () => sendCopy(record, postback, body)));
    return body;
  }

  async function sendCopy(
    record: PrintOrderRecord,
    postback: { status: string; orderItemId?: string },
    body: string,
  ): Promise<Answer> {
    const answer = await outbound.send(asPartner('/v2/order/status', body));
    const { status, orderItemId } = postback;
    enter({
      type: 'postback',
      printOrderId: record.id,
      status,
      answer: answer.status,
      ...(orderItemId === undefined ? {} : { orderItemId }),
    });
    const level = answer.status < 300 ? 'debug' : 'warn';
    log[level]({ printOrderId: record.id, status, orderItemId, answer }, 'postback answered');
    return answer;
  }

  /** The postbacks that a step stands for: one, or one for each item that is still made. */
  function postbacksOf(record: PrintOrderRecord, step: ScriptedStep & { do: 'postback' }): Postback[] {
    const { status, message } = step;
    const base: Postback = { status, ...(message === undefined ? {} : { message }) };
    if (step.firstItem !== undefined) {
      const orderItemId = record.itemIds[0]!;
      return [
        {
          ...base,
          items: [{ orderItemId, ...(step.firstItem === 'whole' ? {} : { quantity: step.firstItem }) }],
        },
      ];
    }
    if (step.ownTracking === true) {
      const trackingCode = `OWN${record.id.padStart(9, '0')}`;
      return [{ ...base, trackingCode, trackingLink: `https://couriers.example/track/${trackingCode}` }];
    }
    if (status === 'cancelled' || status === 'error') return [base];
    // What was cancelled is not reported printed or shipped: the rest is then told item by item.
    if (step.perItem !== true && record.held.size === 0) return [base];
    return record.itemIds
      .filter((id) => !record.held.has(id))
      .map((orderItemId) => ({ ...base, orderItemId }));
  }

  /** Fetches every print file and looks into it. @returns what is wrong with one of them */
  async function fetchAssets(record: PrintOrderRecord): Promise<string | undefined> {
    const assets = workloadOf(record.order!).assets;
    let fetched = 0;
    for (const asset of assets) {
      const { status, head, bytes } = await outbound.download(asset.url);
      if (status !== 200) return `The print file answered ${status}`;
      if (bytes === 0 || formatOf(head) !== asset.format) return `The print file is not a ${asset.format}`;
      fetched += 1;
    }
    enter({ type: 'assets', printOrderId: record.id, fetched });
    return undefined;
  }

  /** Asks for shipping documents until there are some, and downloads them. @returns why there are none */
  async function dispatch(record: PrintOrderRecord): Promise<string | undefined> {
    const patienceEnds = Date.now() + DISPATCH_PATIENCE_MS;
    const answer = await outbound.send({
      ...asPartner('/v2/order/dispatch', { orderId: record.id }),
      again: ({ status }) => status === 409 && !allHeld(record) && Date.now() < patienceEnds,
    });
    if (answer.status !== 200)
      return `dispatch answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
    const { documents, trackingCode } = answer.body as DispatchAnswer;
    for (const { type, url } of documents) {
      const document = await outbound.download(url);
      if (document.status !== 200) return `the ${type} answered ${document.status}`;
      if (formatOf(document.head) !== 'pdf') return `the ${type} is not a PDF`;
      enter({
        type: 'document',
        printOrderId: record.id,
        document: { type, sha256: document.sha256, bytes: document.bytes },
      });
    }
    enter({
      type: 'dispatched',
      printOrderId: record.id,
      ...(trackingCode === undefined ? {} : { trackingCode }),
      parcels: parcelsOf(documents, trackingCode),
    });
    return undefined;
  }

  /** Postbacks that break a rule each; every one of them should be refused. */
  async function sendFaultyPostbacks(record: PrintOrderRecord): Promise<void> {
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
  }

  function pauseBefore(step: ScriptedStep): number {
    switch (step.do) {
      case 'postback':
        return step.status === 'error' || step.status === 'cancelled' ? pace.trouble : pace[step.status];
      case 'fetch-assets':
        return pace.assets;
      case 'dispatch':
        return pace.dispatch;
      case 'pause':
        return step.ms;
      default:
        return 0;
    }
  }

  /** @returns why the print order cannot go on */
  async function carryOut(record: PrintOrderRecord, step: ScriptedStep): Promise<string | undefined> {
    const { copies = 1, journey = 'delivered' } = BEHAVIOURS[record.behaviour.name];
    switch (step.do) {
      case 'postback': {
        if (step.firstItem !== undefined) {
          enter({ type: 'held', printOrderId: record.id, itemIds: [record.itemIds[0]!] });
        }
        for (const postback of postbacksOf(record, step)) {
          const body = await sendPostback(record, postback, copies);
          if (copies > 1) {
            // The late copy does not hold the work up: it arrives while the next step is under way.
            settle(
              wait(pace.printed, undefined, { signal }).then(() => sendCopy(record, postback, body)),
              record,
            );
          }
        }
        return undefined;
      }
      case 'fetch-assets': {
        const fault = await fetchAssets(record);
        if (fault !== undefined) await sendPostback(record, { status: 'error', message: fault }, 1);
        return fault;
      }
      case 'dispatch': {
        const faults = await Promise.all(Array.from({ length: step.atOnce ?? 1 }, () => dispatch(record)));
        return faults.find((fault) => fault !== undefined);
      }
      case 'hand-over': {
        for (const trackingNumber of record.parcels) {
          carriers.handOver({ trackingNumber, journey, partner: deps.name });
        }
        return undefined;
      }
      case 'faulty-postbacks':
        await sendFaultyPostbacks(record);
        return undefined;
      case 'pause':
        return undefined;
    }
  }

  /** Lets work run on its own; a failure is logged, a stop of the sandbox is not one. */
  function settle(work: Promise<unknown>, record: PrintOrderRecord): void {
    work.catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error, printOrderId: record.id }, 'partner failed');
    });
  }

  /** Pauses that a cancel order, or the end of the sandbox, cuts short. */
  const pauses = new Map<string, () => void>();
  signal.addEventListener('abort', () => {
    for (const wake of pauses.values()) wake();
  });
  function pause(record: PrintOrderRecord, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        pauses.delete(record.id);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      pauses.set(record.id, wake);
    });
  }

  async function tellCancelled(record: PrintOrderRecord, itemIds: readonly string[]): Promise<void> {
    const whole = allHeld(record);
    const items = itemIds.map((orderItemId) => ({ orderItemId }));
    await pause(record, pace.trouble);
    if (signal.aborted) return;
    await sendPostback(
      record,
      { status: 'cancelled', message: 'Cancelled as asked', ...(whole ? {} : { items }) },
      1,
    );
    enter({ type: 'cancel-told', printOrderId: record.id });
    if (whole) end(record, 'cancelled', 'by the service');
  }

  async function runPlan(record: PrintOrderRecord): Promise<void> {
    const behaviour = BEHAVIOURS[record.behaviour.name];
    const plan = behaviour.plan(record.behaviour.amount);
    while (!signal.aborted) {
      if (record.cancelToTell !== undefined) {
        await tellCancelled(record, record.cancelToTell);
        continue;
      }
      if (record.state !== 'taken') return;
      const step = plan[record.stepsDone];
      if (step === undefined) return end(record, 'finished');
      await pause(record, pauseBefore(step) * (behaviour.slowness ?? 1));
      if (signal.aborted || record.cancelToTell !== undefined) continue;
      const fault = await carryOut(record, step);
      if (record.cancelToTell !== undefined) continue;
      if (fault !== undefined) return end(record, 'given-up', fault);
      enter({ type: 'step', printOrderId: record.id, done: record.stepsDone + 1 });
      const cancelled = step.do === 'postback' && step.status === 'cancelled';
      if (cancelled && (step.firstItem === undefined || allHeld(record)))
        return end(record, 'cancelled', 'by the partner');
    }
  }

  const underWay = new Set<string>();
  return {
    work(record) {
      pauses.get(record.id)?.();
      if (underWay.has(record.id)) return;
      underWay.add(record.id);
      settle(
        runPlan(record).finally(() => underWay.delete(record.id)),
        record,
      );
    },
  };
}

/**
 * Tracking numbers of the parcels. An answer names one; the others stand on their labels, and in the names of the
 * labels' files, which spares reading the barcodes.
 */
function parcelsOf(documents: DispatchAnswer['documents'], trackingCode: string | undefined): string[] {
  if (trackingCode === undefined) return [];
  const named = documents.flatMap(({ type, url }) => {
    const [, number] = /\/label-([^/]+)\.[a-z]+$/.exec(new URL(url).pathname) ?? [];
    return type === 'label' && number !== undefined ? [number] : [];
  });
  return named.includes(trackingCode) ? named : [trackingCode];
}

/** The format of a file by its first bytes. */
export function formatOf(head: Buffer): 'pdf' | 'png' | 'jpeg' | 'unknown' {
  if (head.toString('latin1', 0, 5) === '%PDF-') return 'pdf';
  if (head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'jpeg';
  return 'unknown';
}
