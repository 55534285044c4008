import { z } from 'zod';
import { countryCode, crossField, currencyCode, price, text, withStateCode } from '../../platform/domain/fields';
import {
  optional,
  orderRules,
  packagingInstructionsSchema,
  productFields,
  productNamingRule,
  retailPrice,
  stateRule,
  trimField,
} from '../planning/order-schemas';

/** A quote request: the part of an order that determines its price and its shipment methods. */
export const quoteOrderSchema = crossField(
  z.object({
    orderReferenceId: optional(text(100)),
    customerReferenceId: optional(text(100)).describe(
      'The customer of the order. A customer product may be for some customers only.',
    ),
    currency: currencyCode,
    shippingAddress: crossField(
      withStateCode(
        z.object({
          country: countryCode,
          firstName: optional(z.string().max(25)),
          lastName: optional(z.string().max(25)),
          addressLine1: optional(z.string().max(35)),
          city: text(30),
          postCode: text(15),
          state: optional(z.string().max(35)),
          isBusiness: optional(z.boolean()),
          federalTaxId: optional(z.string().max(50)),
        }),
      ),
      stateRule,
    ),
    items: z
      .array(
        crossField(
          z.object({
            ...productFields,
            ...retailPrice,
            ...trimField,
            files: optional(z.array(z.object({ type: text(100) })).max(100)).describe(
              'The types of the files. They add the prices of print areas that have one. Files may be missing.',
            ),
          }),
          productNamingRule,
        ),
      )
      .min(1)
      .max(500),
    retailCurrency: optional(currencyCode).describe(
      'Retail prices are those of the order: partners across a customs border need them.',
    ),
    retailShippingPriceInclVat: optional(price),
    shipmentMethodUid: optional(z.string().max(255)),
    packagingInstructions: optional(packagingInstructionsSchema),
  }),
  orderRules,
).meta({
  id: 'QuoteOrder',
  examples: [
    {
      currency: 'EUR',
      shippingAddress: { country: 'DE', city: 'Berlin', postCode: '10117' },
      items: [
        {
          itemReferenceId: 'poster',
          productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
          quantity: 2,
        },
      ],
    },
  ],
});
export type QuoteOrder = z.output<typeof quoteOrderSchema>;
