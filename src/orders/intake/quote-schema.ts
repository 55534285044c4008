import { z } from 'zod';
import { crossField, httpUrl } from '../../platform/domain/fields';
import { SIZES } from '../../platform/domain/sizes';
import {
  addressFields,
  addressOf,
  itemFields,
  itemRules,
  optional,
  orderFields,
  orderFileSchema,
  orderRules,
} from '../planning/order-schemas';

/** A quote request: an order, without the fields that determine neither its price nor its shipment methods. */
export const quoteOrderSchema = crossField(
  z.object({
    ...orderFields,
    orderReferenceId: optional(orderFields.orderReferenceId),
    shippingAddress: addressOf({
      ...addressFields,
      firstName: optional(addressFields.firstName),
      lastName: optional(addressFields.lastName),
      addressLine1: optional(addressFields.addressLine1),
      email: optional(addressFields.email),
      phone: optional(addressFields.phone),
    }),
    items: z
      .array(
        crossField(
          z.object({
            ...itemFields,
            files: optional(
              z.array(orderFileSchema.extend({ url: optional(httpUrl) })).max(SIZES.itemFiles.most),
            ).describe(
              'The types of the files add the prices of print areas that have one. Files may be missing, and their URLs. ' +
                'With URLs, the files are those of the order.',
            ),
          }),
          itemRules,
        ),
      )
      .min(1)
      .max(SIZES.orderItems.most),
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
