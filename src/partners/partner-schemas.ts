import { z } from 'zod';
import { printedText } from '../documents/fonts';
import { emailAddress } from '../platform/domain/email';
import { countryCode, currencyCode, day, moment, withKnownState } from '../platform/domain/fields';
import { outboundUrl } from '../platform/http/outbound-addresses';
import { normalAddress } from '../platform/normal-address';
import { phone } from '../platform/phone';
import { partnerCapabilitiesSchema } from './domain/capabilities';
import { PRINT_ORDER_VERSIONS } from './domain/partner-protocol';

/** Schemas of the bodies that operators and partners send about a partner. */

const line = (max: number) => z.string().trim().min(1).max(max);
/** Text that is printed on labels and customs forms. */
const printedLine = (max: number) => printedText(line(max));

const senderAddressSchema = z.preprocess(
  normalAddress,
  withKnownState(
    z.object({
      firstName: printedLine(25),
      lastName: printedLine(25),
      company: printedLine(60),
      addressLine1: printedLine(35),
      addressLine2: printedLine(35).optional(),
      addressLine3: printedLine(35).optional(),
      street: printedLine(35).optional().describe('Addresses in Germany.'),
      houseNumber: printedLine(10).optional().describe('Addresses in Germany.'),
      suburb: printedLine(35).optional().describe('Addresses in Australia and New Zealand.'),
      city: printedLine(30),
      postcode: printedLine(15),
      state: printedLine(35).optional(),
      country: countryCode,
      email: emailAddress,
      phone: phone.optional(),
      taxIds: z
        .object({
          vatNumber: printedLine(50).optional(),
          iossNumber: printedLine(50).optional(),
          eoriNumber: printedLine(50).optional(),
          pcccNumber: printedLine(50).optional(),
          australianBusinessNumber: printedLine(50).optional(),
        })
        .optional()
        .describe('Printed on customs declarations.'),
    }),
  ),
);

export const partnerSetupSchema = z
  .object({
    uid: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,62}$/, 'must be lowercase letters, digits and hyphens, 2 to 63 of them')
      .describe('Identifies the partner. It cannot be changed.'),
    name: line(100),
    currency: currencyCode.describe('Currency of its prices and procurement orders. It needs an exchange rate.'),
    enabled: z.boolean().default(true).describe('True when routing may choose the partner.'),
    printHouseUid: line(100).nullable().default(null),
    senderAddress: senderAddressSchema.describe(
      'Address that its parcels are sent from. Its country is the fulfillment country.',
    ),
    capabilities: partnerCapabilitiesSchema,
  })
  .meta({
    examples: [
      {
        uid: 'prints-leeds',
        name: 'Prints Leeds',
        currency: 'GBP',
        senderAddress: {
          firstName: 'Dispatch',
          lastName: 'Desk',
          company: 'Prints Leeds Ltd',
          addressLine1: '1 Wharf Street',
          city: 'Leeds',
          postcode: 'LS2 7EQ',
          country: 'GB',
          email: 'dispatch@prints-leeds.example',
        },
        capabilities: {
          productKinds: ['print'],
          models: { mug_product: { unitPriceMinor: 290, leadDays: 1 } },
          countriesServed: ['GB', 'IE'],
          calendar: {
            timeZone: 'Europe/London',
            workingDays: [1, 2, 3, 4, 5],
            cutOff: '12:30',
            holidays: { country: 'GB', state: 'ENG' },
          },
          capacityPerDay: 200,
        },
      },
    ],
  });

/** The part of a partner that an operator sets. */
export type PartnerSetup = z.output<typeof partnerSetupSchema>;

export const partnerChangeSchema = z
  .object({
    name: partnerSetupSchema.shape.name.optional(),
    enabled: z.boolean().optional(),
    printHouseUid: line(100).nullable().optional(),
    senderAddress: senderAddressSchema.optional(),
    capabilities: partnerCapabilitiesSchema
      .partial()
      .optional()
      .describe('Each capability in the request replaces the stored one as a whole.'),
  })
  .meta({ examples: [{ enabled: false }, { capabilities: { capacityPerDay: 300 } }] });

export type PartnerChange = z.output<typeof partnerChangeSchema>;

export const units = z.int().min(0).max(1_000_000_000);

/** One SKU of a stock report. Partners respond to a stock poll with it, or push it. */
export const stockReportSchema = z.object({
  SKU: z.string().min(1).max(200),
  status: z.enum(['in-stock', 'out-of-stock']),
  amount: units.nullish().describe('Units available. The status in-stock with amount 0 counts as out of stock.'),
  replenishmentDate: z
    .union([day, moment({ local: true }), z.literal('')])
    .nullish()
    .describe('Day on which more units arrive.'),
});

export type StockReport = z.output<typeof stockReportSchema>;

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

/** Returns the schema of a subscription. @param allowPrivate whether plain http and private networks are allowed */
export function subscriptionSchema(allowPrivate: boolean) {
  const address = outboundUrl(allowPrivate);
  const optionalAddress = address.nullish().transform(orNull);
  return z
    .object({
      orderSubmitUrl: address,
      apparelOrderSubmitUrl: optionalAddress.describe('Default: orderSubmitUrl.'),
      orderCancelUrl: optionalAddress.describe(
        'Without it, cancellations are agreed with the partner outside the API.',
      ),
      orderUpdateUrl: optionalAddress.describe(
        'Receives the whole print order again, with a revision, after its address or method has changed. Without it, an ' +
          'operator tells the partner.',
      ),
      inventoryUrl: optionalAddress.describe('Polled for stock levels every 10 minutes.'),
      version: z
        .enum(PRINT_ORDER_VERSIONS)
        .nullish()
        .transform(orNull)
        .describe('Version of print orders; default 1.1, and 1.0 for apparel.'),
      documentTypes: z
        .enum(['all'])
        .nullish()
        .transform(orNull)
        .describe(
          'all: dispatch responses also have the types packing_slip and customs_form. Default: label and invoice only.',
        ),
    })
    .meta({
      examples: [
        {
          orderSubmitUrl: 'https://prints-leeds.example/orders',
          orderCancelUrl: 'https://prints-leeds.example/cancellations',
        },
      ],
    });
}

/** Addresses and version that a partner registers with `POST /v2/subscribe`, or an operator for it. */
export type SubscriptionBody = z.output<ReturnType<typeof subscriptionSchema>>;
export type Subscription = Omit<SubscriptionBody, 'version' | 'documentTypes'> & {
  readonly printOrderVersion: SubscriptionBody['version'];
  readonly documentTypes?: SubscriptionBody['documentTypes'];
};
