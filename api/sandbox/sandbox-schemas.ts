import { z } from 'zod';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { POSTBACK_STATUSES } from '../../src/partners/domain/delivery-target';

const file = z.object({ name: z.string(), url: z.string(), summary: z.string().nullable() });

export const sandboxOverview = z.object({
  mode: z.enum(['auto', 'manual']).describe('`manual`: partners send no postbacks before an operator does.'),
  behaviours: z.array(
    z.object({
      name: z.string(),
      summary: z.string(),
      amount: z.object({ meaning: z.string(), default: z.number() }).nullable(),
    }),
  ),
  partners: z.array(
    z.object({
      name: z.string(),
      subscribed: z.boolean(),
      rules: z
        .array(
          z.object({
            id: z.string(),
            behaviour: z.string(),
            amount: z.number(),
            contains: z.string().nullable(),
            left: z.int().nullable().describe('Print orders that it still applies to. Null: no limit.'),
          }),
        )
        .describe('The newest matching rule selects the behaviour for a print order.'),
      printOrders: z.array(
        z.object({
          printOrderId: z.string(),
          behaviour: z.string(),
          state: z.string(),
          reason: z.string().nullable(),
          postbacks: z.array(z.object({ status: z.string(), responseStatus: z.int() })),
          trackingCodes: z.array(z.string()),
        }),
      ),
    }),
  ),
  carriers: z.array(
    z.object({
      uid: z.string(),
      labelRefusal: z
        .string()
        .nullable()
        .describe('Message with which the carrier refuses to sell labels. Null: it sells them.'),
    }),
  ),
  parcels: z.array(
    z.object({
      trackingNumber: z.string(),
      carrierUid: z.string().nullable(),
      journey: z.string(),
      events: z.array(z.object({ statusUid: z.string(), responseStatus: z.int() })),
    }),
  ),
  files: z.array(
    file.extend({
      faultStatus: z.int().nullable().describe('HTTP status in place of the file. Null: the file is sent.'),
    }),
  ),
  faultyFiles: z.array(file),
});

export const behaviourBody = z
  .object({
    behaviour: z.string().min(1).max(100),
    amount: z.int().min(0).optional(),
    contains: z.string().min(1).max(200).optional().describe('Text in the body of the print order.'),
    times: z.int().min(1).optional().describe('Print orders that the rule applies to. Default: no limit.'),
  })
  .meta({ id: 'SandboxBehaviour', examples: [{ behaviour: 'refuses', times: 1 }] });

const printOrderId = z.string().regex(/^\d{1,18}$/);

export const postbackBody = z
  .object({
    printOrderId,
    status: z.enum(POSTBACK_STATUSES),
    message: z.string().min(1).max(500).optional(),
  })
  .meta({ id: 'SandboxPostback' });

export const dispatchBody = z.object({ printOrderId }).meta({ id: 'SandboxDispatch' });

export const carrierEventBody = z
  .object({
    trackingNumber: z.string().min(1).max(100),
    statusUid: z.enum(TRACKING_STATUSES),
    message: z.string().min(1).max(500).optional(),
  })
  .meta({ id: 'SandboxCarrierEvent' });

export const fileFaultBody = z
  .object({ status: z.int().min(400).max(599).describe('HTTP status in place of the file.') })
  .meta({ id: 'SandboxFileFault' });

export const labelFaultBody = z
  .object({ message: z.string().min(1).max(500).describe('Message of the refusal.') })
  .meta({ id: 'SandboxLabelFault', examples: [{ message: 'The postcode does not exist' }] });

/** The response of this API to the call that the sandbox made. */
export const relayedResponse = z
  .object({ status: z.int(), body: z.unknown() })
  .meta({ id: 'SandboxResponse', description: 'What Pressline responded to the sandbox.' });
