import { randomUUID } from 'node:crypto';
import { Router, raw } from 'express';
import { z } from 'zod';
import { BEHAVIOURS, type ChosenBehaviour } from '../behaviours';
import type { PresslineResponse } from '../outbound';
import { createPartnerCalls } from './calls';
import { cancelRequestHandler } from './cancel-requests';
import { createInventory } from './inventory';
import { orderUpdateHandler } from './order-updates';
import type { PartnerContext } from './partner-context';
import {
  apply,
  emptyPartnerState,
  type PartnerEntry,
  type PrintOrderRecord,
  type Rule,
  type StockLevel,
} from './partner-record';
import { createPrintOrderIntake, noteArrival } from './print-order-intake';
import { createProduction } from './production';
import { type SeenPartner, seenPrintOrder } from './seen';
import { createSignatureCheck } from './signature-check';

/** The addresses that a partner registers with its subscription. */
export interface PartnerUrls {
  readonly orderSubmitUrl: string;
  readonly apparelOrderSubmitUrl: string;
  readonly orderCancelUrl: string;
  readonly orderUpdateUrl: string;
  readonly inventoryUrl: string;
}

/** Returns the addresses of a partner. @param url base address of its routes */
export const partnerUrlsAt = (url: string): PartnerUrls => ({
  orderSubmitUrl: `${url}/orders`,
  apparelOrderSubmitUrl: `${url}/apparel-orders`,
  orderCancelUrl: `${url}/cancellations`,
  orderUpdateUrl: `${url}/order-updates`,
  inventoryUrl: `${url}/inventory`,
});

export interface Partner {
  readonly name: string;
  readonly routes: Router;
  /** Registers the addresses with Pressline. Retries until Pressline accepts. */
  subscribe(urls: PartnerUrls): Promise<void>;
  /**
   * Subscribes again with the addresses of the last subscription and further fields, valid or not.
   * @returns Pressline's response. Its signing secret stays with the partner.
   */
  resubscribe(fields: object): Promise<PresslineResponse>;
  /** Continues with the unfinished print orders of the journal. */
  resume(): void;
  /** Ends the pause of a print order before its next step, if it is in one. */
  endPause(printOrderId: string): void;
  /** Sends any body as a status postback. Retries passing faults. The journal has it when it names a print order of the partner. */
  postback(body: unknown): Promise<PresslineResponse>;
  dispatch(body: unknown): Promise<PresslineResponse>;
  /** Sends any body as a stock report. Retries passing faults. */
  reportStock(body: unknown): Promise<PresslineResponse>;
  setRule(rule: { behaviour: ChosenBehaviour; contains?: string | undefined; times?: number | undefined }): Rule;
  clearRules(): void;
  /** Returns the rules, the newest first, with the number of print orders that each still applies to. */
  rules(): readonly { readonly rule: Rule; readonly left: number }[];
  setStock(sku: string, level: StockLevel): void;
  seen(): SeenPartner;
}

const sentPostbackSchema = z.object({ orderId: z.string(), status: z.string() });
const subscribedSchema = z.object({ message: z.string(), signingSecret: z.string() });

/**
 * Creates a print partner. It verifies signatures, writes each print order to the journal before it responds, and then
 * works through the order by calls to Pressline with its API key.
 */
export function createPartner(
  deps: Omit<PartnerContext, 'state' | 'enter'> & {
    readonly apiKey: string;
    readonly entries: readonly PartnerEntry[];
    readonly write: (entry: PartnerEntry) => void;
  },
): Partner {
  const { name, mode } = deps;
  const log = deps.log.child({ partner: name });
  const state = emptyPartnerState();
  for (const entry of deps.entries) apply(state, entry);
  const enter = (entry: PartnerEntry) => {
    if (deps.signal.aborted) return;
    deps.write(entry);
    apply(state, entry);
  };
  const context: PartnerContext = { ...deps, log, state, enter };
  const calls = createPartnerCalls(deps.outbound, deps.apiKey);
  const production = createProduction(context, calls);
  const signature = createSignatureCheck(context);
  const work = (record: PrintOrderRecord) => {
    if (mode === 'auto' && (record.state === 'taken' || record.cancelToConfirm !== undefined)) production.work(record);
  };
  const intake = createPrintOrderIntake(context, signature, work);
  const inventory = createInventory(context, signature);
  let subscribed = false;
  let urls: PartnerUrls | undefined;

  const body = raw({ type: () => true, limit: '4mb' });
  const routes = Router();
  routes.post(`/partners/${name}/orders`, noteArrival, body, intake.handler('print'));
  routes.post(`/partners/${name}/apparel-orders`, noteArrival, body, intake.handler('apparel'));
  routes.post(`/partners/${name}/cancellations`, body, cancelRequestHandler(context, signature, work));
  routes.post(`/partners/${name}/order-updates`, body, orderUpdateHandler(context, signature));
  routes.post(`/partners/${name}/inventory`, body, inventory.handler);

  return {
    name,
    routes,

    async subscribe(addresses) {
      urls = addresses;
      signature.subscribing = true;
      // Without `version`, each product kind has its usual version (1.1, apparel 1.0). An unknown key is retried:
      // Pressline and its sandbox start at the same time, so the key may not exist yet.
      const response = await calls.send('/v2/subscribe', addresses, ({ status }) => {
        if (status !== 200) log.warn({ status }, 'Pressline refused the subscription; retrying');
        return status !== 200;
      });
      enter({ type: 'subscribed', signingSecret: subscribedSchema.parse(response.body).signingSecret });
      signature.subscribing = false;
      subscribed = true;
      log.info('partner subscribed');
    },

    async resubscribe(fields) {
      signature.subscribing = true;
      const response = await calls.send('/v2/subscribe', { ...urls, ...fields });
      const result = subscribedSchema.safeParse(response.body);
      if (result.success) enter({ type: 'subscribed', signingSecret: result.data.signingSecret });
      signature.subscribing = false;
      return result.success ? { status: response.status, body: { message: result.data.message } } : response;
    },

    resume() {
      for (const record of state.printOrders.values()) {
        const { beginsAtDelivery = 1 } = BEHAVIOURS[record.behaviour.name];
        if (record.deliveries >= beginsAtDelivery) work(record);
      }
    },

    endPause: (printOrderId) => production.endPause(printOrderId),

    async postback(message) {
      const response = await calls.send('/v2/order/status', JSON.stringify(message));
      const sent = sentPostbackSchema.safeParse(message);
      if (sent.success && state.printOrders.has(sent.data.orderId)) {
        const { orderId: printOrderId, status } = sent.data;
        enter({ type: 'postback', printOrderId, status, responseStatus: response.status });
      }
      return response;
    },
    dispatch: (message) => calls.send('/v2/order/dispatch', JSON.stringify(message)),
    reportStock: (message) => calls.send('/v3/stock/status', JSON.stringify(message)),

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
    rules: () => state.rules,
    setStock: (sku, level) => enter({ type: 'stock', sku, level }),

    seen: () => ({
      subscribed,
      printOrders: [...state.printOrders.values()].map(seenPrintOrder),
      inventoryPolls: inventory.polls,
      badSignatures: signature.refused,
      malformed: intake.malformed,
    }),
  };
}
