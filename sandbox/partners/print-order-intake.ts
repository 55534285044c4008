import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { BEHAVIOURS } from '../behaviours';
import { behaviourFor } from './chosen-behaviour';
import type { PartnerContext } from './partner-context';
import type { PrintOrderKind, PrintOrderRecord } from './partner-record';
import { deliveryLine2, parseJson, printOrderSchema, problemsOf } from './print-order';
import { describeResponse, sendResponse } from './responses';
import type { SeenPartner } from './seen';
import type { SignatureCheck } from './signature-check';

/** Receives print orders: checks them, writes them to the journal, responds, and starts the work. */
export interface PrintOrderIntake {
  handler(kind: PrintOrderKind): (request: Request, response: Response) => void;
  /** Print orders that were refused because fields were missing or wrong. */
  readonly malformed: SeenPartner['malformed'];
}

/** Returns true for a test message (docs/partners.md, "Test pings"). */
const isPing = (content: unknown): boolean => (content as { type?: unknown } | undefined)?.type === 'ping';

const ARRIVALS = new WeakMap<Request, number>();

/** Remembers when a request began to arrive, before its body is read. */
export const noteArrival: RequestHandler = (request, _response, next) => {
  ARRIVALS.set(request, performance.now());
  next();
};

const arrivalOf = (request: Request): number => ARRIVALS.get(request) ?? performance.now();

export function createPrintOrderIntake(
  { name, state, enter, log }: PartnerContext,
  signature: SignatureCheck,
  work: (record: PrintOrderRecord) => void,
): PrintOrderIntake {
  const malformed: { printOrderId: string | null; problems: string[] }[] = [];

  function refuseMalformed(response: Response, body: string, problems: string[]): void {
    const { id } = (parseJson(body) ?? {}) as { id?: unknown };
    malformed.push({ printOrderId: typeof id === 'string' ? id : null, problems });
    log.warn({ problems }, 'print order violates its schema');
    response.status(400).json({ error: problems.join('; ') });
  }

  function receive(kind: PrintOrderKind, request: Request, response: Response): void {
    if (!signature.verify(request, response)) return;
    const body = (request.body as Buffer).toString('utf8');
    const content = parseJson(body);
    if (isPing(content)) {
      response.json({ message: 'pong' });
      return;
    }
    const parsed = printOrderSchema.safeParse(content);
    if (!parsed.success) {
      refuseMalformed(response, body, problemsOf(parsed.error));
      return;
    }
    const order = parsed.data;
    const known = state.printOrders.get(order.id);
    if (known === undefined || known.lifted) {
      const chosen = behaviourFor(state, name, body, known === undefined ? deliveryLine2(order) : '');
      enter({ type: 'print-order', printOrderId: order.id, kind, order, ...chosen });
    }
    const record = state.printOrders.get(order.id)!;
    const contentHash = createHash('sha256').update(body).digest('hex');
    const delivery = {
      type: 'delivery',
      printOrderId: order.id,
      webhookId: String(request.headers['webhook-id']),
      contentHash,
    } as const;
    const behaviour = BEHAVIOURS[record.behaviour.name];
    const arrivedMs = performance.now() - arrivalOf(request);
    if (arrivedMs > (behaviour.patienceMs?.(record.behaviour.amount) ?? Number.POSITIVE_INFINITY)) {
      enter({ ...delivery, taken: false, response: 'hang-up' });
      request.socket.destroy();
      return;
    }
    const isChanged = record.contents.size > 0 && !record.contents.has(contentHash);
    if (isChanged && !behaviour.acceptsChangedContent) {
      enter({ ...delivery, taken: false, response: '409' });
      log.error({ printOrderId: order.id }, 'print order arrived again with different content');
      response.status(409).json({ error: `Print order ${order.id} was accepted with different content` });
      return;
    }
    if (record.deliveries > 0 && behaviour.duplicates === 'refused') {
      enter({ ...delivery, taken: false, response: '409' });
      response.status(409).json({ error: `Print order ${order.id} exists already` });
      return;
    }
    const first = behaviour.firstResponses?.(record.behaviour.amount);
    const faulty = first !== undefined && record.deliveries < first.times ? first : undefined;
    // The journal entry comes before the response, so that an accepted print order survives a kill.
    enter({
      ...delivery,
      taken: faulty?.takes ?? true,
      response: describeResponse(faulty?.how),
    });
    log.info({ printOrderId: order.id, kind, behaviour: record.behaviour.name }, 'print order arrived');
    const again = record.deliveries > 1;
    if (behaviour.duplicates === 'made-again')
      response.json({ message: 'Print order accepted', jobId: `${order.id}-${record.deliveries}` });
    else sendResponse(response, faulty?.how, again ? 'Print order already accepted' : 'Print order accepted');
    if (record.deliveries >= (behaviour.beginsAtDelivery ?? 1)) work(record);
  }

  return { malformed, handler: (kind) => (request, response) => receive(kind, request, response) };
}
