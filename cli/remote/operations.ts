import { z } from 'zod';
import type { Operations, PresslineClient } from '../../client/pressline-client';
import { ATTENTION } from '../../src/orders/domain/lifecycle/rules/attention';
import { RemoteFailure } from './connection';
import { type Operation, operation } from './operation';
import { TRIGGERS } from './sandbox-operations';
import { facts, sections, table } from './text';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const order = z.string().min(1).describe('Id or reference of the order, id of a print order, or tracking number.');
const partner = z.string().min(1).describe('Id, uid or name of the partner.');
const limit = z.int().min(1).max(100).default(20).describe('Greatest number of rows.');
const list = z.array(z.string()).optional();

/** Returns the id of the only order that a text finds. */
async function orderIdOf(operator: PresslineClient, text: string): Promise<string> {
  if (UUID.test(text)) return text;
  const { orders } = await operator.listOperatorOrders({ query: { q: text, limit: 10 } });
  if (orders.length === 1) return orders[0]!.id;
  if (orders.length === 0) throw new RemoteFailure(`There is no order ${text}.`, 'refused');
  const found = orders.map(({ id, clientName }) => `${id} (${clientName})`).join(', ');
  throw new RemoteFailure(`Several orders match ${text}: ${found}. Give an id.`, 'refused');
}

async function partnerOf(operator: PresslineClient, text: string) {
  const { partners } = await operator.listPartners();
  const found = partners.find(({ id, uid, name }) => [id, uid, name].includes(text));
  if (found !== undefined) return found;
  const names = partners.map(({ name }) => name).join(', ');
  throw new RemoteFailure(`There is no partner ${text}. Partners: ${names || 'none'}.`, 'refused');
}

type Result<K extends keyof Operations> = Operations[K]['response'];

function orderText(found: Result<'getOperatorOrder'>): string {
  const { nextStep, promise, temporalUrl } = found;
  const reference = new Map(found.items.map(({ id, itemReferenceId }) => [id, itemReferenceId]));
  const references = (ids: readonly string[]) => ids.map((id) => reference.get(id) ?? id).join(', ');
  return sections([
    [
      '',
      facts([
        ['Order', `${found.orderReferenceId} (${found.id})`],
        ['Client', found.clientName],
        ['Status', found.fulfillmentStatus],
        ['Payment', found.financialStatus],
        ['Country', found.country],
        ['Created', found.createdAt],
        ['Delivery', promise && `${promise.minDeliveryDate} to ${promise.maxDeliveryDate}`],
        ['Refusal', found.refusal && `${found.refusal.code}: ${found.refusal.reason}`],
        ['Next step', `${nextStep.who}${nextStep.partnerUid ? ` ${nextStep.partnerUid}` : ''}: ${nextStep.waitsFor}`],
        ['Due', nextStep.dueAt],
        ['Console', found.consoleUrl],
        ['Temporal', temporalUrl],
      ]),
    ],
    [
      'Attention',
      table(
        ['reason', 'meaning'],
        found.attention.map((reason) => [reason, ATTENTION[reason].text]),
      ),
    ],
    [
      'Items',
      table(
        ['id', 'reference', 'product', 'units', 'status'],
        found.items.map(({ id, itemReferenceId, productUid, productName, quantity, fulfillmentStatus }) => [
          ...[id, itemReferenceId, productUid ?? productName, quantity, fulfillmentStatus],
        ]),
      ),
    ],
    [
      'Print orders',
      table(
        ['id', 'partner', 'status', 'dispatch', 'items', 'latest postback', 'message'],
        found.printOrders.map(({ id, partnerUid, status, dispatchDate, jobs, postbacks }) => {
          const latest = postbacks.toSorted((a, b) => a.receivedAt.localeCompare(b.receivedAt)).at(-1);
          const items = references(jobs.map(({ itemId }) => itemId));
          return [id, partnerUid, status, dispatchDate, items, latest?.status, latest?.message];
        }),
      ),
    ],
    [
      'Parcels',
      table(
        ['tracking number', 'carrier', 'status', 'expected'],
        found.parcels.map(({ trackingNumber, carrier, status, expectedDeliveryDate, voided }) => [
          ...[trackingNumber, carrier, voided ? 'voided' : status, expectedDeliveryDate],
        ]),
      ),
    ],
    [
      'Failing steps',
      table(
        ['step', 'attempts', 'next attempt', 'error'],
        found.failingSteps.map(({ step, attempts, nextAttemptAt, message }) => [
          ...[step, attempts, nextAttemptAt, message],
        ]),
      ),
    ],
    [
      'Possible repairs',
      table(
        ['action', 'items', 'partners'],
        found.possibleRepairs.map(({ action, itemIds, reroutes }) => {
          const able = reroutes.flatMap(({ partners }) => partners.filter(({ rejected }) => rejected === null));
          return [action, itemIds.join(', '), [...new Set(able.map(({ partnerUid }) => partnerUid))].join(', ')];
        }),
      ),
    ],
  ]);
}

const partnerTable = (partners: Result<'listPartners'>['partners']) =>
  table(
    ['name', 'uid', 'country', 'enabled', 'subscribed', 'id'],
    partners.map(({ name, uid, country, enabled, subscription, id }) => [
      ...[name, uid, country, enabled ? 'yes' : 'no', subscription?.subscribedAt, id],
    ]),
  );

const requestTable = (requests: readonly Result<'pingPartner'>[]) =>
  table(
    ['at', 'kind', 'print order', 'status', 'ms', 'outcome', 'response'],
    requests.map(({ at, kind, printOrderId, status, durationMs, outcome, response }) => [
      ...[at, kind, printOrderId, status, durationMs, outcome, response?.slice(0, 100)],
    ]),
  );

/** The operations of the command line and of the MCP server, over the HTTP API. */
export const OPERATIONS: readonly Operation[] = [
  operation({
    command: 'summary',
    description: 'show how many orders need attention and why, the outbox, and the workers',
    input: z.object({}),
    run: ({ operator }) => operator.getOperatorSummary(),
    text: ({ at, orders, attention, outbox, workers }) =>
      sections([
        ['', facts([['At', at]])],
        [
          'Orders',
          table(
            ['status', 'count'],
            orders.filter(({ count }) => count > 0).map((each) => [each.status, each.count]),
          ),
        ],
        [
          'Attention',
          table(
            ['reason', 'orders', 'oldest (s)', 'meaning'],
            attention.map(({ reason, count, oldestSeconds }) => [
              reason,
              count,
              Math.round(oldestSeconds),
              ATTENTION[reason].text,
            ]),
          ),
        ],
        [
          'Outbox',
          table(
            ['kind', 'pending', 'dead'],
            outbox.map(({ kind, pending, dead }) => [kind, pending, dead]),
          ),
        ],
        [
          'Workers',
          workers === null
            ? 'Temporal does not respond'
            : table(
                ['identity', 'last seen'],
                workers.pollers.map((each) => [each.identity, each.lastSeenAt]),
              ),
        ],
      ]),
  }),
  operation({
    command: 'order list',
    description: 'list orders, newest first: all, those that match, or those that need attention',
    input: z.object({
      q: z.string().optional().describe('Id, reference, print order, tracking number or e-mail address.'),
      status: z.string().optional().describe('Statuses, separated by commas.'),
      attention: z.string().optional().describe('Attention reasons, separated by commas, or `any`.'),
      limit,
    }),
    run: ({ operator }, query) => operator.listOperatorOrders({ query }),
    text: ({ orders }) =>
      table(
        ['reference', 'client', 'status', 'country', 'created', 'attention', 'id'],
        orders.map(({ orderReferenceId, clientName, fulfillmentStatus, country, createdAt, attention, id }) => [
          ...[orderReferenceId, clientName, fulfillmentStatus, country, createdAt, attention.join(', '), id],
        ]),
      ),
  }),
  operation({
    command: 'order show',
    description: 'show an order: what it waits for, why it needs attention, and the repairs that are possible now',
    positional: ['order'],
    input: z.object({ order }),
    run: async ({ operator }, input) =>
      await operator.getOperatorOrder({ params: { orderId: await orderIdOf(operator, input.order) } }),
    text: orderText,
  }),
  operation({
    command: 'order timeline',
    description: 'list everything that happened to an order, newest first',
    positional: ['order'],
    input: z.object({
      order,
      kind: z
        .string()
        .optional()
        .describe('event, repair, postback, request, checkpoint or notification; several by commas.'),
      limit,
    }),
    run: async ({ operator }, { order: text, ...query }) =>
      await operator.getOrderTimeline({ params: { orderId: await orderIdOf(operator, text) }, query }),
    text: ({ entries }) =>
      table(
        ['at', 'kind', 'type', 'by', 'print order', 'content'],
        entries.map(({ at, kind, type, by, printOrderId, data }) => [
          ...[at, kind, type, by, printOrderId, JSON.stringify(data).slice(0, 100)],
        ]),
      ),
  }),
  operation({
    command: 'order repair',
    description: 'repair an order; `order show` names the repairs that are possible now',
    positional: ['order', 'action'],
    acts: true,
    input: z.object({
      order,
      action: z.enum([
        'retry',
        'reroute',
        'reproduce',
        'cancel',
        'refund',
        'mark_shipped',
        'hold',
        'release',
        'accept_files',
        'dismiss',
      ]),
      reason: z.string().min(1).max(500).describe('Recorded with the name of the operator.'),
      itemIds: list.describe('retry, cancel, refund: ids of the items. Default: every item that the repair is for.'),
      itemId: z.string().optional().describe('reroute, reproduce: id of the item.'),
      quantity: z.int().min(1).optional().describe('reroute, reproduce: units.'),
      partner: partner.optional().describe('reroute, reproduce: the new partner. Default: routing chooses.'),
      force: z.boolean().optional().describe('reroute, reproduce: do not wait for the current partner.'),
      printOrderId: z.string().optional().describe('mark_shipped: id of the print order.'),
      trackingCode: z.string().optional().describe('mark_shipped: tracking code of the partner’s parcel.'),
      trackingLink: z.string().optional().describe('mark_shipped: its link.'),
    }),
    run: async ({ operator }, { order: text, partner: name, ...repair }) => {
      const orderId = await orderIdOf(operator, text);
      const partnerId = name === undefined ? {} : { partnerId: (await partnerOf(operator, name)).id };
      // The API checks which fields belong to the action.
      const body = { ...repair, ...partnerId } as Operations['repairOrder']['input']['body'];
      return await operator.repairOrder({ params: { orderId }, body });
    },
    text: ({ orderReferenceId, fulfillmentStatus, attention, waitsForPartner }) =>
      facts([
        ['Order', orderReferenceId],
        ['Status', fulfillmentStatus],
        ['Attention', attention.join(', ')],
        ['Waits for the partner', waitsForPartner ? 'yes' : 'no'],
      ]),
  }),
  operation({
    command: 'outbox list',
    description: 'list messages that wait in the outbox, or dead letters',
    input: z.object({
      state: z.enum(['pending', 'dead']).default('dead'),
      kind: z.enum(['start_workflow', 'signal_workflow', 'notification']).optional(),
      limit,
    }),
    run: ({ operator }, query) => operator.listOutboxMessages({ query }),
    text: ({ messages }) =>
      table(
        ['id', 'kind', 'state', 'target', 'attempts', 'created', 'next attempt', 'last error'],
        messages.map(({ id, kind, state, target, attempts, createdAt, nextAttemptAt, lastError }) => [
          ...[id, kind, state, target, attempts, createdAt, nextAttemptAt, lastError?.slice(0, 100)],
        ]),
      ),
  }),
  operation({
    command: 'outbox replay',
    description: 'send dead letters again: all of them, or those that the options select',
    acts: true,
    input: z.object({
      ids: list.describe('Ids of the messages.'),
      kind: z.enum(['start_workflow', 'signal_workflow', 'notification']).optional(),
      target: z.string().optional().describe('Workflow id, or id of the webhook endpoint.'),
      reason: z.string().min(1).max(500).describe('Recorded with the name of the operator.'),
    }),
    run: ({ operator }, body) => operator.replayDeadMessages({ body }),
    text: ({ replayed }) => `Messages to send again: ${replayed}`,
  }),
  operation({
    command: 'partner list',
    description: 'list print partners',
    input: z.object({}),
    run: ({ operator }) => operator.listPartners(),
    text: ({ partners }) => partnerTable(partners),
  }),
  operation({
    command: 'partner show',
    description: 'show a print partner: its figures, and the latest requests to it',
    positional: ['partner'],
    input: z.object({ partner, limit }),
    run: async ({ operator }, input) => {
      const found = await partnerOf(operator, input.partner);
      const params = { partnerId: found.id };
      const [health, { requests }] = await Promise.all([
        operator.getPartnerHealth({ params }),
        operator.listPartnerRequests({ params, query: { limit: input.limit } }),
      ]);
      return { partner: found, health, requests };
    },
    text: ({ partner: found, health, requests }) =>
      sections([
        ['', partnerTable([found])],
        [
          'Latest print orders',
          facts([
            ['Sent', health.printOrders],
            ['Accepted', health.accepted],
            ['Seconds to accept, median', health.acceptSecondsMedian],
            ['Late', `${health.late} of ${health.due}`],
            ['Errors', health.errors],
            ['Latest request', health.lastRequestAt],
            ['Latest postback', health.lastPostbackAt],
          ]),
        ],
        ['Latest requests', requestTable(requests)],
      ]),
  }),
  operation({
    command: 'partner ping',
    description: 'send a signed test message to a print partner',
    positional: ['partner'],
    acts: true,
    input: z.object({ partner }),
    run: async ({ operator }, input) =>
      await operator.pingPartner({ params: { partnerId: (await partnerOf(operator, input.partner)).id } }),
    text: (request) => requestTable([request]),
  }),
  ...([true, false] as const).map((enabled) =>
    operation({
      command: enabled ? 'partner enable' : 'partner disable',
      description: enabled ? 'let routing choose a print partner' : 'keep routing from choosing a print partner',
      positional: ['partner'],
      acts: true,
      input: z.object({ partner }),
      run: async ({ operator }, input) => {
        const { id } = await partnerOf(operator, input.partner);
        return await operator.changePartner({ params: { partnerId: id }, body: { enabled } });
      },
      text: (changed) => partnerTable([changed]),
    }),
  ),
  ...TRIGGERS,
];
