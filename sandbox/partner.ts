import { createHash, randomUUID } from 'node:crypto';
import { type Request, type Response, Router, raw } from 'express';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Logger } from '../src/platform/logging';
import {
  BEHAVIOURS,
  behaviourInAddress,
  type ChosenBehaviour,
  choose,
  type FirstAnswers,
} from './behaviours';
import type { Carriers } from './carrier-events';
import type { Answer, Outbound } from './outbound';
import type { Pace } from './pace';
import {
  apply,
  emptyPartnerState,
  type PartnerEntry,
  type PrintOrderKind,
  type PrintOrderRecord,
  type Rule,
  type StockLevel,
  told,
} from './partner-record';
import { deliveryLine2, printOrderSchema, problemsOf } from './print-order';
import { createProduction } from './production';
import { type SeenPartner, seenPrintOrder } from './seen';

export type Mode = 'auto' | 'manual' | 'off';

/** The addresses a partner gives in its subscription. */
export interface PartnerUrls {
  readonly orderSubmitUrl: string;
  readonly apparelOrderSubmitUrl: string;
  readonly orderCancelUrl: string;
  readonly inventoryUrl: string;
}

export interface Partner {
  readonly name: string;
  readonly routes: Router;
  /** Registers the addresses with Pressline; tried until it is answered. */
  subscribe(urls: PartnerUrls): Promise<void>;
  /** Goes on with print orders that a stop or a kill left unfinished. */
  resume(): void;
  /** Sends any body as a status postback; tried again on passing faults. */
  postback(body: unknown): Promise<Answer>;
  dispatch(body: unknown): Promise<Answer>;
  setRule(rule: {
    behaviour: ChosenBehaviour;
    contains?: string | undefined;
    times?: number | undefined;
  }): Rule;
  clearRules(): void;
  setStock(sku: string, level: StockLevel): void;
  seen(): SeenPartner;
}

const cancelOrderSchema = z.object({
  version: z.string(),
  orderId: z.string(),
  canceledPrintJobIdList: z.array(z.union([z.string(), z.number()]).transform(String)),
  reason: z.string().nullish(),
});
const stockQuestionSchema = z.object({ version: z.string(), SKU: z.array(z.string()).max(100) });
const subscribedSchema = z.object({ message: z.string(), signingSecret: z.string() });

/** What a partner has of any SKU that no test has set. */
const USUAL_STOCK: StockLevel = { status: 'in-stock', amount: 1_000 };
const RESTOCK_DAYS = 7;

/**
 * A print partner as a small factory runs one: it checks the signature, writes an order down before it answers,
 * and works on its own afterwards, speaking to Pressline with its API key.
 */
export function createPartner(deps: {
  name: string;
  apiKey: string;
  mode: Mode;
  entries: readonly PartnerEntry[];
  write: (entry: PartnerEntry) => void;
  outbound: Outbound;
  carriers: Carriers;
  pace: Pace;
  signal: AbortSignal;
  log: Logger;
}): Partner {
  const { name, mode, outbound, signal } = deps;
  const log = deps.log.child({ partner: name });
  const state = emptyPartnerState();
  for (const entry of deps.entries) apply(state, entry);
  const enter = (entry: PartnerEntry) => {
    if (signal.aborted) return;
    deps.write(entry);
    apply(state, entry);
  };
  const production = createProduction({ ...deps, enter, log });
  let subscribing = false;
  let subscribed = false;
  let inventoryPolls = 0;
  let badSignatures = 0;
  const malformed: { printOrderId: string | null; problems: string[] }[] = [];

  /** Whether the request is Pressline's (Standard Webhooks); answers it when it is not. */
  function signedWell(request: Request, response: Response): boolean {
    if (mode === 'off' || state.signingSecrets.length === 0) {
      response.status(503).set('Retry-After', '1').json({ error: 'This partner is not at work' });
      return false;
    }
    const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    for (const secret of state.signingSecrets) {
      try {
        new Webhook(secret).verify(body, request.headers as Record<string, string>);
        return true;
      } catch {
        // The older secret may still be the right one.
      }
    }
    if (subscribing) {
      // The new secret may be on its way to us: refusing now would turn a good order away.
      response.status(503).set('Retry-After', '1').json({ error: 'Subscription in progress' });
      return false;
    }
    badSignatures += 1;
    log.warn({ path: request.path }, 'request with a bad signature');
    response.status(401).json({ error: 'The signature is not valid' });
    return false;
  }

  function behaviourFor(body: string, line2: string): { behaviour: ChosenBehaviour; ruleId?: string } {
    const marked = behaviourInAddress(line2, name);
    if (marked !== undefined) return { behaviour: marked };
    const match = state.rules.find(
      ({ rule, left }) => left > 0 && (rule.contains === undefined || body.includes(rule.contains)),
    );
    if (match === undefined) return { behaviour: choose('well-behaved') };
    return { behaviour: match.rule.behaviour, ruleId: match.rule.id };
  }

  function takePrintOrder(kind: PrintOrderKind) {
    return (request: Request, response: Response): void => {
      if (!signedWell(request, response)) return;
      const body = (request.body as Buffer).toString('utf8');
      const parsed = printOrderSchema.safeParse(parseJson(body));
      if (!parsed.success) {
        const problems = problemsOf(parsed.error);
        const { id } = (parseJson(body) ?? {}) as { id?: unknown };
        malformed.push({ printOrderId: typeof id === 'string' ? id : null, problems });
        log.warn({ problems }, 'print order breaks the interface');
        response.status(400).json({ error: problems.join('; ') });
        return;
      }
      const order = parsed.data;
      if (!state.printOrders.has(order.id)) {
        const chosen = behaviourFor(body, deliveryLine2(order));
        enter({ type: 'print-order', printOrderId: order.id, kind, order, ...chosen });
      }
      const record = state.printOrders.get(order.id)!;
      const contentHash = createHash('sha256').update(body).digest('hex');
      const webhookId = String(request.headers['webhook-id']);
      if (record.contents.size > 0 && !record.contents.has(contentHash)) {
        enter({
          type: 'delivery',
          printOrderId: order.id,
          webhookId,
          contentHash,
          taken: false,
          answered: '409',
        });
        log.error({ printOrderId: order.id }, 'print order arrived again with other content');
        response.status(409).json({ error: `Print order ${order.id} was taken with other content` });
        return;
      }
      const behaviour = BEHAVIOURS[record.behaviour.name];
      const first = behaviour.firstAnswers?.(record.behaviour.amount);
      const faulty = first !== undefined && record.deliveries < first.times ? first : undefined;
      // Written down before it is answered: an answered print order survives a kill.
      enter({
        type: 'delivery',
        printOrderId: order.id,
        webhookId,
        contentHash,
        taken: faulty?.takes ?? true,
        answered: faulty === undefined ? '200' : describe(faulty.how),
      });
      log.info({ printOrderId: order.id, kind, behaviour: record.behaviour.name }, 'print order arrived');
      answerDelivery(response, faulty?.how, record);
      if (record.deliveries >= (behaviour.beginsAtDelivery ?? 1)) work(record);
    };
  }

  function answerDelivery(
    response: Response,
    how: FirstAnswers['how'] | undefined,
    record: PrintOrderRecord,
  ): void {
    const accept = () =>
      response.json({ message: record.deliveries > 1 ? 'Print order already taken' : 'Print order taken' });
    if (how === undefined) accept();
    else if (how === 'hang-up') response.socket?.destroy();
    else if (how === 'silence') return;
    else if ('lateMs' in how) setTimeout(accept, how.lateMs).unref();
    else
      response
        .status(how.status)
        .set(how.headers ?? {})
        .json({ error: how.error });
  }

  function work(record: PrintOrderRecord): void {
    if (mode === 'auto' && (record.state === 'taken' || record.cancelToTell !== undefined))
      production.work(record);
  }

  function takeCancelOrder(request: Request, response: Response): void {
    if (!signedWell(request, response)) return;
    const parsed = cancelOrderSchema.safeParse(parseJson((request.body as Buffer).toString('utf8')));
    if (!parsed.success) {
      const problems = problemsOf(parsed.error);
      response.status(400).json({ error: problems.join('; ') });
      return;
    }
    const { orderId, canceledPrintJobIdList: listed } = parsed.data;
    const record = state.printOrders.get(orderId);
    if (record === undefined || record.state === 'not-taken') {
      response.status(404).json({ error: `There is no print order ${orderId}` });
      return;
    }
    const unknown = listed.filter((id) => !record.itemIds.includes(id));
    if (unknown.length > 0) {
      response.status(400).json({ error: `Print order ${orderId} has no item ${unknown.join(', ')}` });
      return;
    }
    // An empty list means the print order as a whole.
    const itemIds = [...(listed.length > 0 ? listed : record.itemIds)];
    const behaviour = BEHAVIOURS[record.behaviour.name];
    const packed = record.trackingCodes.size > 0 || told(record, 'shipped');
    const refusal = behaviour.refusesCancel ?? (packed ? 'The order is packed already' : undefined);
    enter({
      type: 'cancel-order',
      printOrderId: orderId,
      itemIds,
      accepted: refusal === undefined,
      postbackDue: record.behaviour.name !== 'never-answers',
    });
    log.info({ printOrderId: orderId, refusal }, 'cancel order arrived');
    if (refusal === undefined) response.json({ message: 'Cancelled' });
    else response.status(409).json({ error: refusal });
    work(record);
  }

  function tellStock(request: Request, response: Response): void {
    if (!signedWell(request, response)) return;
    const parsed = stockQuestionSchema.safeParse(parseJson((request.body as Buffer).toString('utf8')));
    if (!parsed.success) {
      response.status(400).json({ error: problemsOf(parsed.error).join('; ') });
      return;
    }
    inventoryPolls += 1;
    const restock = new Date(Date.now() + RESTOCK_DAYS * 86_400_000).toISOString().slice(0, 10);
    response.json({
      items: parsed.data.SKU.map((sku) => ({
        SKU: sku,
        replenishmentDate: restock,
        ...(state.stock.get(sku) ?? USUAL_STOCK),
      })),
    });
  }

  const body = raw({ type: () => true, limit: '4mb' });
  const routes = Router();
  routes.post(`/partners/${name}/orders`, body, takePrintOrder('print'));
  routes.post(`/partners/${name}/apparel-orders`, body, takePrintOrder('apparel'));
  routes.post(`/partners/${name}/cancellations`, body, takeCancelOrder);
  routes.post(`/partners/${name}/inventory`, body, tellStock);

  const send = (path: string, message: unknown, again?: (answer: Answer) => boolean) =>
    outbound.send({
      method: 'POST',
      path,
      headers: { 'x-api-key': deps.apiKey },
      body: JSON.stringify(message),
      ...(again === undefined ? {} : { again }),
    });

  return {
    name,
    routes,

    async subscribe(urls) {
      subscribing = true;
      // Without a version: print orders then come as each product kind usually has them (1.1, apparel 1.0).
      // A key that is not known yet may be about to be: the service and its sandbox start together.
      const answer = await send('/v2/subscribe', urls, ({ status }) => {
        if (status !== 200) log.warn({ status }, 'subscription refused; trying again');
        return status !== 200;
      });
      enter({ type: 'subscribed', signingSecret: subscribedSchema.parse(answer.body).signingSecret });
      subscribing = false;
      subscribed = true;
      log.info('partner subscribed');
    },

    resume() {
      for (const record of state.printOrders.values()) {
        const { beginsAtDelivery = 1 } = BEHAVIOURS[record.behaviour.name];
        if (record.deliveries >= beginsAtDelivery) work(record);
      }
    },

    postback: (message) => send('/v2/order/status', message),
    dispatch: (message) => send('/v2/order/dispatch', message),

    setRule({ behaviour, contains, times }) {
      const rule: Rule = {
        id: randomUUID(),
        behaviour,
        ...(contains === undefined ? {} : { contains }),
        ...(times === undefined ? {} : { times }),
      };
      enter({ type: 'rule', rule });
      return rule;
    },
    clearRules: () => enter({ type: 'rules-cleared' }),
    setStock: (sku, level) => enter({ type: 'stock', sku, level }),

    seen: () => ({
      subscribed,
      printOrders: [...state.printOrders.values()].map(seenPrintOrder),
      inventoryPolls,
      badSignatures,
      malformed,
    }),
  };
}

function describe(how: FirstAnswers['how']): string {
  if (typeof how === 'string') return how;
  return 'lateMs' in how ? '200' : String(how.status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
