import { z } from 'zod';
import { requireClient } from '../../../src/accounts/clients';
import { asSubmitted } from '../../../src/orders/intake/drafts';
import { orderQuoteSchema } from '../../../src/orders/intake/quote';
import { withQuantity } from '../../../src/orders/intake/reprint';
import { submitLinked } from '../../../src/orders/intake/submit-linked';
import {
  itemFields,
  orderFileSchema,
  type SubmitOrder,
  shippingAddressSchema,
  submitOrderSchema,
} from '../../../src/orders/planning/order-schemas';
import { type OrderRecord, readOrders } from '../../../src/orders/reading/order-reader';
import { text } from '../../../src/platform/domain/fields';
import { SIZES } from '../../../src/platform/domain/sizes';
import { type FieldError, Refusal } from '../../../src/platform/errors';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { fieldErrors } from '../../http/field-errors';
import { keyedIdOf } from '../../http/idempotency';
import { type Route, route } from '../../http/route';
import { productsOfOrder } from '../../orders/order-products';
import { cancelOrder } from '../../orders/orders';
import { createQuoter } from '../../orders/quote';
import { changedOrderId, forOrder, operatorOrderParams, requesterOf } from '../../orders/visible-order';

const { productUid, productName, productVariant, retailPriceInclVat } = itemFields;

const againSchema = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          itemReferenceId: z.string().max(255),
          productUid: productUid.describe('Default: the product of the item.'),
          productName,
          productVariant,
          retailPriceInclVat: retailPriceInclVat.describe(
            'Total retail price of all units. Default: the share of the item’s, and none for another product.',
          ),
          quantity: z.int().min(1).max(SIZES.itemUnits.most).optional().describe('Default: the units of the item.'),
          files: z
            .array(orderFileSchema)
            .min(1)
            .max(SIZES.itemFiles.most)
            .optional()
            .describe('They take the place of the item’s files of the same types.'),
        }),
      )
      .min(1)
      .max(SIZES.orderItems.most)
      .optional()
      .describe('Items of the order. Default: all.'),
    shippingAddress: shippingAddressSchema.optional().describe('Default: the address of the order.'),
    shipmentMethodUid: z.string().max(255).optional().describe('Default: what the order asked for.'),
    first: z
      .enum(['keep', 'cancel'])
      .default('keep')
      .describe('What becomes of the first order. `cancel`: it is cancelled before the new one is submitted.'),
    dryRun: z.boolean().default(false).describe('True: returns the quote, and changes nothing.'),
    reason: text(500).describe('Recorded with the operator’s name in the event logs of both orders.'),
  })
  .meta({ id: 'OrderAgain' });

type Again = z.output<typeof againSchema>;

/** Returns the order that is submitted. @throws Refusal `VALIDATION_ERROR` for unknown items, and for what a submission refuses */
function submissionOf(first: OrderRecord, { items: wanted, shippingAddress, shipmentMethodUid }: Again): SubmitOrder {
  const submitted = asSubmitted(first);
  const errors = (wanted ?? []).flatMap(({ itemReferenceId }, index): FieldError[] => {
    const reference = `items[${index}].itemReferenceId`;
    const refused = (message: string): FieldError[] => [{ code: 'VALIDATION_ERROR', message, reference }];
    if (!first.items.some((item) => item.itemReferenceId === itemReferenceId))
      return refused(`The order has no item ${itemReferenceId}.`);
    const isTwice = wanted!.findIndex((each) => each.itemReferenceId === itemReferenceId) < index;
    return isTwice ? refused(`The item ${itemReferenceId} is named twice.`) : [];
  });
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  const items = submitted.items.flatMap((item) => {
    const named = wanted?.find(({ itemReferenceId }) => itemReferenceId === item.itemReferenceId);
    if (wanted !== undefined && named === undefined) return [];
    const files = item.files?.map((file) => ({ ...file, ...named?.files?.find(({ type }) => type === file.type) }));
    const quantity = named?.quantity ?? item.quantity;
    const same = withQuantity({ ...item, files }, quantity);
    if (named === undefined) return [same];
    const { productUid, productName, productVariant, retailPriceInclVat } = named;
    if (productUid == null && productName == null)
      return [{ ...same, retailPriceInclVat: retailPriceInclVat ?? same.retailPriceInclVat }];
    // The retail price and the trim are those of the other product.
    return [{ ...same, productUid, productName, productVariant, retailPriceInclVat, customTrim: undefined }];
  });
  const unitsOf = (list: readonly { readonly itemReferenceId: string; readonly quantity: number }[]) =>
    list.map(({ itemReferenceId, quantity }) => `${quantity} ${itemReferenceId}`).join('\n');
  const body = {
    ...submitted,
    orderType: 'order',
    preventDuplicate: false,
    // An order is replaced once.
    replaces: undefined,
    shippingAddress: shippingAddress ?? submitted.shippingAddress,
    shipmentMethodUid: shipmentMethodUid ?? submitted.shipmentMethodUid,
    items,
    // They name the units of each package.
    packagingInstructions: unitsOf(items) === unitsOf(submitted.items) ? submitted.packagingInstructions : undefined,
  };
  const result = submitOrderSchema.safeParse(JSON.parse(JSON.stringify(body)));
  if (!result.success) throw new Refusal('VALIDATION_ERROR', { errors: fieldErrors(result.error, body) });
  return result.data;
}

/** An order that an operator makes from another one, on the phone with its client. */
export function orderAgainRoute(deps: ApiDeps): Route {
  const { sql, runSettings, metrics, wake } = deps;
  const quote = createQuoter(deps);
  return route('POST /v1/operator/orders/{orderId}/again', {
    ...forOrder('operator'),
    operationId: 'orderAgain',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'TOO_MANY_PARCELS'],
    // A carrier gateway has eight seconds to respond.
    timeoutMs: 20_000,
    summary: 'Order again, with changes',
    description:
      'Submits a new order of the same client and reference, at the prices of today, with other products, quantities, files, ' +
      'address or method. Its files are fetched and checked as those of any order. Packaging instructions are kept when the units are ' +
      'the same. `dryRun` returns its price and dates. 409: the ' +
      'first order is a draft or was erased, or is to be cancelled and has shipped.',
    audits: ['order.again'],
    alsoAudits: ['order.cancel'],
    idempotent: true,
    params: operatorOrderParams,
    body: againSchema,
    response: z
      .object({
        id: z.string().nullable().describe('Null after a dry run.'),
        orderReferenceId: z.string(),
        quote: orderQuoteSchema,
      })
      .meta({ id: 'OrderedAgain' }),
    handler: async ({ params, body, account, requestId, headers, log, audit, intend, unaudited, idempotency }) => {
      const orderId = await changedOrderId(sql, account, params.orderId);
      const [first] = await readOrders(sql, [orderId]);
      const [kept] = await sql`SELECT FROM orders WHERE id = ${orderId} AND erased_at IS NULL`;
      if (first === undefined || first.orderType === 'draft' || kept === undefined)
        throw new Refusal('CONFLICT', { message: 'Only an order that was submitted and not erased is ordered again.' });
      const client = await requireClient(sql, first.clientId);
      const order = submissionOf(first, body);
      const customer = { clientId: client.id, customerReferenceId: order.customerReferenceId };
      const products = await productsOfOrder(sql, customer, order);
      const quoted = await quote(client, order, products);
      const { orderReferenceId } = first;
      if (body.dryRun) {
        unaudited();
        return { id: null, orderReferenceId, quote: quoted };
      }
      const { reason } = body;
      if (body.first === 'cancel')
        await cancelOrder(
          deps,
          first,
          { reason },
          {
            ...{ by: requesterOf(account), force: true, cancelId: keyedIdOf(account, headers) },
            ...{ requestId, audit, intend },
          },
        );
      const response = await inTransaction(sql, async (tx) => {
        const submission = { clientId: client.id, clientName: client.name, requestId, order, products, claim: null };
        const by = { by: account.name, reason, requestId };
        const { id } = await submitLinked(
          tx,
          submission,
          first.id,
          ['ordered_again', 'ordered_again_from'],
          by,
          runSettings,
        );
        await audit(tx, {
          action: 'order.again',
          objectId: first.id,
          before: null,
          after: { orderId: id, first: body.first },
        });
        const submitted = { id, orderReferenceId, quote: quoted };
        await idempotency.complete(tx, submitted);
        return submitted;
      });
      metrics.count('pressline_orders_accepted_total', {});
      wake('start_workflow');
      log.info({ orderId: response.id, again: first.id, by: account.name }, 'ordered again');
      return response;
    },
  });
}
