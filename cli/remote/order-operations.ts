import { z } from 'zod';
import type { Operations } from '../../client/pressline-client';
import { ATTENTION } from '../../src/orders/domain/lifecycle/rules/attention';
import { REPAIRS, SINGLE_REPAIRS } from '../../src/orders/domain/lifecycle/rules/repairs';
import { TIMELINE_KINDS } from '../../src/orders/reading/timeline';
import {
  facts,
  limitField,
  type Operation,
  operation,
  order,
  orderIdOf,
  partnerField,
  partnerOf,
  sections,
  table,
} from './operation';
import { STORY } from './story';

function orderText(found: Operations['getOperatorOrder']['response']): string {
  const { nextStep, promise, temporalUrl } = found;
  const reference = new Map(found.items.map(({ id, itemReferenceId }) => [id, itemReferenceId]));
  const references = (ids: readonly string[]) => ids.map((id) => reference.get(id) ?? id).join(', ');
  return sections({
    '': facts([
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
    Attention: table(
      found.attention.map((reason) => ({ reason, meaning: ATTENTION[reason].text })),
      { reason: 'reason', meaning: 'meaning' },
    ),
    Items: table(found.items, {
      id: 'id',
      reference: 'itemReferenceId',
      product: ({ productUid, productName }) => productUid ?? productName,
      units: 'quantity',
      status: 'fulfillmentStatus',
    }),
    'Print orders': table(
      found.printOrders.map((each) => ({
        ...each,
        latest: each.postbacks.toSorted((a, b) => a.receivedAt.localeCompare(b.receivedAt)).at(-1),
      })),
      {
        id: 'id',
        partner: 'partnerUid',
        status: 'status',
        dispatch: 'dispatchDate',
        items: ({ jobs }) => references(jobs.map(({ itemId }) => itemId)),
        'latest postback': ({ latest }) => latest?.status,
        message: ({ latest }) => latest?.message,
      },
    ),
    Parcels: table(found.parcels, {
      'tracking number': 'trackingNumber',
      carrier: 'carrier',
      status: ({ voided, status }) => (voided ? 'voided' : status),
      expected: 'expectedDeliveryDate',
    }),
    'Failing steps': table(found.failingSteps, {
      step: 'step',
      attempts: 'attempts',
      'next attempt': 'nextAttemptAt',
      error: 'message',
    }),
    'Possible repairs': table(found.possibleRepairs, {
      action: 'action',
      items: ({ itemIds }) => itemIds.join(', '),
      partners: ({ reroutes }) => {
        const able = reroutes.flatMap(({ partners }) => partners.filter(({ rejected }) => rejected === null));
        return [...new Set(able.map(({ partnerUid }) => partnerUid))].join(', ');
      },
    }),
  });
}

/** Returns a schema without null: a command leaves out what it does not have. */
const withoutNull = (field: z.ZodType): z.ZodType => {
  const inner =
    field instanceof z.ZodOptional || field instanceof z.ZodNullable ? (field.unwrap() as z.ZodType) : field;
  return inner === field ? field : withoutNull(inner);
};

/** The fields of all repairs, each with the repairs that have it. The API checks which a repair needs. */
function repairFields(): Record<string, z.ZodType> {
  const names = new Set(SINGLE_REPAIRS.flatMap((action) => Object.keys(REPAIRS[action].fields)));
  return Object.fromEntries(
    [...names].map((name) => {
      const having = SINGLE_REPAIRS.flatMap((action) => {
        const field = (REPAIRS[action].fields as Readonly<Record<string, z.ZodType>>)[name];
        return field === undefined ? [] : [{ action, field }];
      });
      const texts = [...new Set(having.map(({ field }) => field.description ?? ''))].map((text) => {
        const actions = having.filter(({ field }) => (field.description ?? '') === text).map(({ action }) => action);
        return text === '' ? `Of ${actions.join(', ')}.` : `Of ${actions.join(', ')}. ${text}`;
      });
      return [name, withoutNull(having[0]!.field).optional().describe(texts.join(' '))];
    }),
  );
}

const { partnerId, units, ...REPAIR_FIELDS } = repairFields();

/** Units of an item in one word, which the command line and assistants write alike. */
const ITEM_UNITS = /^(\d{1,18}):(\d{1,6})$/;

function unitsOf(word: string): { itemId: string; quantity: number } {
  const [, itemId, quantity] = ITEM_UNITS.exec(word)!;
  return { itemId: itemId!, quantity: Number(quantity) };
}

export const ORDER_OPERATIONS: readonly Operation[] = [
  operation({
    command: 'order list',
    description: 'list orders, newest first: all, those that match, or those that need attention',
    input: z.object({
      q: z.string().optional().describe('Id, reference, print order, tracking number or e-mail address.'),
      status: z.string().optional().describe('Statuses, separated by commas.'),
      attention: z.string().optional().describe('Attention reasons, separated by commas, or `any`.'),
      limit: limitField,
    }),
    run: ({ operator }, query) => operator.listOperatorOrders({ query }),
    text: ({ orders }) =>
      table(orders, {
        reference: 'orderReferenceId',
        client: 'clientName',
        status: 'fulfillmentStatus',
        country: 'country',
        created: 'createdAt',
        attention: ({ attention }) => attention.join(', '),
        id: 'id',
      }),
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
        .describe(`${TIMELINE_KINDS.join(', ')}; several by commas.`),
      limit: limitField,
    }),
    run: async ({ operator }, { order: text, ...query }) =>
      await operator.getOrderTimeline({ params: { orderId: await orderIdOf(operator, text) }, query }),
    text: ({ entries }) =>
      table(entries, {
        at: 'at',
        kind: 'kind',
        type: 'type',
        by: 'by',
        'print order': 'printOrderId',
        content: ({ data }) => JSON.stringify(data).slice(0, 100),
      }),
  }),
  STORY,
  operation({
    command: 'order repair',
    description: 'repair an order; `order show` names the repairs that are possible now',
    positional: ['order', 'action'],
    acts: true,
    input: z.object({
      order,
      action: z.enum(SINGLE_REPAIRS),
      reason: z.string().min(1).max(500).describe('Recorded with the name of the operator.'),
      ...REPAIR_FIELDS,
      units: z
        .array(z.string().regex(ITEM_UNITS, 'Write the units of an item as ITEM_ID:UNITS.'))
        .optional()
        .describe(`${units!.description} Each as ITEM_ID:UNITS.`),
      partner: partnerField.optional().describe(`Id, uid or name. ${partnerId!.description}`),
    }),
    run: async ({ operator }, { order: text, partner: name, units: refunds, ...repair }) => {
      const orderId = await orderIdOf(operator, text);
      const placed = name === undefined ? {} : { partnerId: (await partnerOf(operator, name)).id };
      const refunded = refunds === undefined ? {} : { units: refunds.map(unitsOf) };
      // The API checks which fields belong to the action.
      const body = { ...repair, ...placed, ...refunded } as Operations['repairOrder']['input']['body'];
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
];
