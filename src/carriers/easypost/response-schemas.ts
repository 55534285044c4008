import { z } from 'zod';
import { boundedValue } from '../../platform/domain/foreign-text';

/** The parts of EasyPost's responses that the adapter reads. Other fields are ignored. */

/** Of a message about a shipment. */
const LONGEST_MESSAGE = 500;

const rate = z.object({
  id: z.string(),
  carrier: z.string(),
  service: z.string(),
  rate: z.string().regex(/^\d+(\.\d+)?$/),
  currency: z.string(),
  delivery_days: z.number().nullish(),
  est_delivery_days: z.number().nullish(),
});
export type EasyPostRate = z.output<typeof rate>;

export const easyPostShipment = z.object({
  id: z.string(),
  reference: z.string().nullish(),
  rates: z.array(rate),
  selected_rate: rate.nullish(),
  postage_label: z.object({ label_url: z.url(), label_zpl_url: z.url().nullish() }).nullish(),
  tracking_code: z.string().nullish(),
  tracker: z.object({ public_url: z.url().nullish() }).nullish(),
  refund_status: z.string().nullish(),
  messages: z
    .array(z.object({ carrier: z.string().nullish(), type: z.string().nullish(), message: z.unknown() }))
    .transform((messages) => boundedValue(messages, LONGEST_MESSAGE) as typeof messages)
    .nullish(),
});
export type EasyPostShipment = z.output<typeof easyPostShipment>;

export const easyPostTracker = z.object({
  tracking_code: z.string(),
  carrier: z.string().nullish(),
  est_delivery_date: z.string().nullish(),
  tracking_details: z.array(
    z.object({
      status: z.string(),
      message: z.string().nullish(),
      description: z.string().nullish(),
      datetime: z.string(),
      tracking_location: z
        .object({ city: z.string().nullish(), state: z.string().nullish(), country: z.string().nullish() })
        .nullish(),
    }),
  ),
});
