import { z } from 'zod';
import type { Operations } from '../../client/pressline-client';
import { ATTENTION } from '../../src/orders/domain/lifecycle/rules/attention';
import { OUTBOX_STATES } from '../../src/platform/outbox/messages';
import { OUTBOX_KINDS } from '../../src/platform/outbox/outbox';
import { facts, limitField, type Operation, operation, partnerField, partnerOf, sections, table } from './operation';
import { ORDER_OPERATIONS } from './order-operations';
import { TRIGGERS } from './sandbox-operations';

type Result<K extends keyof Operations> = Operations[K]['response'];

const partnerTable = (partners: Result<'listPartners'>['partners']) =>
  table(partners, {
    name: 'name',
    uid: 'uid',
    country: 'country',
    enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
    subscribed: ({ subscription }) => subscription?.subscribedAt,
    id: 'id',
  });

const requestTable = (requests: readonly Result<'pingPartner'>[]) =>
  table(requests, {
    at: 'at',
    kind: 'kind',
    'print order': 'printOrderId',
    status: 'status',
    ms: 'durationMs',
    outcome: 'outcome',
    response: ({ response }) => response?.slice(0, 100),
  });

/** The operations of the command line and of the MCP server, over the HTTP API. */
export const OPERATIONS: readonly Operation[] = [
  operation({
    command: 'summary',
    description: 'show how many orders need attention and why, the outbox, and the workers',
    input: z.object({}),
    run: ({ operator }) => operator.getOperatorSummary(),
    text: ({ at, orders, attention, outbox, workers }) =>
      sections({
        '': facts([['At', at]]),
        Orders: table(
          orders.filter(({ count }) => count > 0),
          { status: 'status', count: 'count' },
        ),
        Attention: table(attention, {
          reason: 'reason',
          orders: 'count',
          'oldest (s)': ({ oldestSeconds }) => Math.round(oldestSeconds),
          meaning: ({ reason }) => ATTENTION[reason].text,
        }),
        Outbox: table(outbox, { kind: 'kind', pending: 'pending', dead: 'dead' }),
        Workers:
          workers === null
            ? 'Temporal does not respond'
            : table(workers.pollers, { identity: 'identity', 'last seen': 'lastSeenAt' }),
      }),
  }),
  ...ORDER_OPERATIONS,
  operation({
    command: 'outbox list',
    description: 'list messages that wait in the outbox, or dead letters',
    input: z.object({
      state: z.enum(OUTBOX_STATES).default('dead'),
      kind: z.enum(OUTBOX_KINDS).optional(),
      limit: limitField,
    }),
    run: ({ operator }, query) => operator.listOutboxMessages({ query }),
    text: ({ messages }) =>
      table(messages, {
        id: 'id',
        kind: 'kind',
        state: 'state',
        target: 'target',
        attempts: 'attempts',
        created: 'createdAt',
        'next attempt': 'nextAttemptAt',
        'last error': ({ lastError }) => lastError?.slice(0, 100),
      }),
  }),
  operation({
    command: 'outbox replay',
    description: 'send dead letters again: all of them, or those that the options select',
    acts: true,
    input: z.object({
      ids: z.array(z.string()).optional().describe('Ids of the messages.'),
      kind: z.enum(OUTBOX_KINDS).optional(),
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
    input: z.object({ partner: partnerField, limit: limitField }),
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
      sections({
        '': partnerTable([found]),
        'Latest print orders': facts([
          ['Sent', health.printOrders],
          ['Accepted', health.accepted],
          ['Seconds to accept, median', health.acceptSecondsMedian],
          ['Late', `${health.late} of ${health.due}`],
          ['Errors', health.errors],
          ['Latest request', health.lastRequestAt],
          ['Latest postback', health.lastPostbackAt],
        ]),
        'Latest requests': requestTable(requests),
      }),
  }),
  operation({
    command: 'partner ping',
    description: 'send a signed test message to a print partner',
    positional: ['partner'],
    acts: true,
    input: z.object({ partner: partnerField }),
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
      input: z.object({ partner: partnerField }),
      run: async ({ operator }, input) => {
        const { id } = await partnerOf(operator, input.partner);
        return await operator.changePartner({ params: { partnerId: id }, body: { enabled } });
      },
      text: (changed) => partnerTable([changed]),
    }),
  ),
  ...TRIGGERS,
];
