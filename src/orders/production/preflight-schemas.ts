import { z } from 'zod';
import { fileFactsSchema } from '../../../packages/file-reader/facts';
import { PRINT_FILE_TYPES } from '../../files/domain/file-types';
import { crossField, property, text } from '../../platform/domain/fields';
import { orderFileSchema, productFields, productNamingRule, trimField } from '../planning/order-schemas';
import { fileFinding } from '../reading/retrieved-item';
import { PREFLIGHT_EFFECTS, type StoredPreflight } from './preflight-rows';

const { productUid, productName, productVariant } = productFields;

/** A file to check before it is ordered. */
export const preflightRequestSchema = crossField(
  z.object({
    url: orderFileSchema.shape.url.optional().describe('Address of the file. Required without `orderId`.'),
    type: orderFileSchema.shape.type.describe('Type of the file, as it would be ordered.'),
    productUid,
    productName,
    productVariant,
    ...trimField,
    orderId: text(100)
      .optional()
      .describe(
        'An order, by id or reference, whose file is checked, instead of a URL and a product. A draft shows the report.',
      ),
    itemReferenceId: text(100).optional().describe('The item of the order.'),
  }),
  (body, report) => {
    if (property(body, 'orderId') == null) {
      productNamingRule(body, report);
      if (property(body, 'url') == null) report(['url'], 'This field is required.', 'MISSING_FIELD_ERROR');
      return;
    }
    if (property(body, 'itemReferenceId') == null)
      report(['itemReferenceId'], 'This field is required with orderId.', 'MISSING_FIELD_ERROR');
    for (const field of ['url', 'productUid', 'productName', 'customTrim'])
      if (property(body, field) != null) report([field], 'The order has it.');
  },
).meta({
  id: 'PreflightFile',
  examples: [
    {
      url: 'https://files.example.com/poster.pdf',
      type: 'default',
      productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
    },
  ],
});

/** The check of a file, in responses. */
export const preflightSchema = z
  .object({
    id: z.string(),
    state: z.enum(['running', 'done']),
    createdAt: z.iso.datetime(),
    report: z
      .object({
        effect: z
          .enum(PREFLIGHT_EFFECTS)
          .describe('What an order with the file would do: go on, wait as `on_hold`, or fail.'),
        fault: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe('Why the file cannot be used, with a code of the refusals of orders. Null: it was checked.'),
        checks: z.array(fileFinding),
        file: z
          .object({
            mimeType: z.enum(PRINT_FILE_TYPES),
            sizeBytes: z.int(),
            pageCount: z.int(),
            widthPx: z.int().nullable(),
            heightPx: z.int().nullable(),
            facts: fileFactsSchema,
          })
          .nullable(),
      })
      .nullable()
      .describe('Null while the preflight is running.'),
  })
  .meta({ id: 'Preflight' });

/** Returns a preflight as responses show it. */
export function preflightView({ id, createdAt, report }: StoredPreflight) {
  return {
    id,
    state: report === null ? ('running' as const) : ('done' as const),
    createdAt: createdAt.toISOString(),
    report,
  };
}
