import { z } from 'zod';
import { sampleOrder } from '../../sandbox/demo/sample-order';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { POSTBACK_STATUSES } from '../../src/partners/domain/partner-protocol';
import { RemoteFailure } from './connection';
import { facts, type Operation, operation } from './operation';

const partnerName = z.string().describe('Name of a sandbox partner, such as prints-berlin.');
const printOrderId = z
  .string()
  .regex(/^\d{1,18}$/)
  .describe('Id of a print order.');
const message = z.string().min(1).max(500).optional();
const relayed = ({ status, body }: { readonly status: number; readonly body: unknown }) =>
  facts([
    ['Status of the response', status],
    ['Response', JSON.stringify(body)],
  ]);

/** What the sandbox can be made to do. The API has these operations only where a sandbox runs with it. */
export const TRIGGERS: readonly Operation[] = [
  operation({
    command: 'trigger order',
    description: 'submit an order of two products with print files of the sandbox, as the client',
    acts: true,
    input: z.object({
      reference: z.string().min(1).optional().describe('orderReferenceId. Default: trigger- and the time.'),
      behaviour: z
        .string()
        .optional()
        .describe('Behaviour of the partners, such as `refuses` or `prints-slowly=5000`.'),
    }),
    run: async ({ operator, client }, { reference = `trigger-${Date.now()}`, behaviour }) => {
      const { sandbox } = await operator.getSandbox();
      if (sandbox === null) throw new RemoteFailure('No sandbox runs with this API.', 'refused');
      const body = sampleOrder(reference, new URL(sandbox.files[0]!.url).origin);
      const shippingAddress = {
        ...body.shippingAddress,
        ...(behaviour === undefined ? {} : { addressLine2: `sandbox:${behaviour}` }),
      };
      return await client.submitOrder({ body: { ...body, shippingAddress } });
    },
    text: ({ id, orderReferenceId }) =>
      facts([
        ['Order', id],
        ['Reference', orderReferenceId],
      ]),
  }),
  operation({
    command: 'trigger behaviour',
    description: 'select the behaviour of a sandbox partner for the next print orders (docs/sandbox.md)',
    positional: ['partnerName', 'behaviour'],
    acts: true,
    input: z.object({
      partnerName,
      behaviour: z.string(),
      amount: z.int().min(0).optional(),
      contains: z.string().optional().describe('Only for print orders with this text.'),
      times: z.int().min(1).optional().describe('Number of print orders. Default: no limit.'),
    }),
    run: ({ operator }, { partnerName, ...body }) => operator.setSandboxBehaviour({ params: { partnerName }, body }),
    text: ({ id }) => `Rule ${id}`,
  }),
  operation({
    command: 'trigger reset',
    description: 'remove the rules of a sandbox partner',
    positional: ['partnerName'],
    acts: true,
    input: z.object({ partnerName }),
    run: ({ operator }, params) => operator.clearSandboxBehaviours({ params }),
    text: (done) => done.message,
  }),
  operation({
    command: 'trigger postback',
    description: 'send a postback as a sandbox partner',
    positional: ['partnerName', 'printOrderId', 'status'],
    acts: true,
    input: z.object({ partnerName, printOrderId, status: z.enum(POSTBACK_STATUSES), message }),
    run: ({ operator }, { partnerName, ...body }) => operator.sendSandboxPostback({ params: { partnerName }, body }),
    text: relayed,
  }),
  operation({
    command: 'trigger dispatch',
    description: 'request the shipping documents of a print order as a sandbox partner',
    positional: ['partnerName', 'printOrderId'],
    acts: true,
    input: z.object({ partnerName, printOrderId }),
    run: ({ operator }, { partnerName, ...body }) => operator.requestSandboxDispatch({ params: { partnerName }, body }),
    text: relayed,
  }),
  operation({
    command: 'trigger scan',
    description: 'report a scan of a parcel as a sandbox carrier',
    positional: ['carrierUid', 'trackingNumber', 'statusUid'],
    acts: true,
    input: z.object({
      carrierUid: z.string(),
      trackingNumber: z.string(),
      statusUid: z.enum(TRACKING_STATUSES),
      message,
    }),
    run: ({ operator }, { carrierUid, ...body }) => operator.sendSandboxCarrierEvent({ params: { carrierUid }, body }),
    text: relayed,
  }),
];
