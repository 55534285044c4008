import type { ClientSettings } from '../../accounts/clients';
import type { Consignment } from '../../consignments/domain/consignment';
import { partnerAsJson, partnerOf } from '../../partners/partner-rows';
import { ratesAt } from '../../platform/exchange-rates';
import { type Fragment, inTransaction, type Queryable, type Transaction } from '../../platform/postgres';
import { contentDocuments } from '../../shipping/document-set';
import { type PurchaseDeps, storeDocuments } from '../../shipping/purchase';
import { replaceDocuments } from '../../shipping/purchase-rows';
import { DEPARTED } from '../domain/lifecycle/statuses';
import { senderTaxIds } from '../planning/consignments';
import { runOrderWith } from '../planning/run-order';
import { customerInvoice, locksShippingPrice } from './customer-invoice';

interface OutdatedShipment {
  readonly attempt: number;
  readonly startedAt: string;
  readonly carrierName: string;
  readonly consignment: Consignment;
  readonly parcels: readonly {
    readonly position: number;
    readonly trackingNumber: string;
    readonly hasLeft: boolean;
  }[];
  readonly isPostal: boolean;
  readonly partner: Record<string, unknown>;
  readonly clientSettings: ClientSettings;
}

/**
 * Makes the documents about the contents of a print order's packages again, after these have changed. Labels, the client's
 * packing slips and the documents of packages that have left stay. The new documents have the names of the old ones, so that links to the old ones lead to them.
 */
export async function renewDocuments(
  { sql, objects }: Pick<PurchaseDeps, 'sql' | 'objects'>,
  { orderId, shipmentId }: { orderId: string; shipmentId: string },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    if (await locksShippingPrice(tx, orderId)) await invoiceShipping(tx, shipmentId);
  });
  const found = await runOrderWith<OutdatedShipment>(
    sql,
    sql`${orderId}`,
    sql`(SELECT jsonb_build_object('attempt', s.attempt, 'startedAt', s.started_at, 'carrierName', s.carrier_name,
        'consignment', s.consignment, 'parcels', (SELECT coalesce(jsonb_agg(jsonb_build_object('position', k.position,
            'trackingNumber', k.tracking_number, 'hasLeft', ${hasLeft(sql)}) ORDER BY k.position), '[]')
          FROM shipment_packages k WHERE k.shipment_id = s.id AND k.left_out_at IS NULL),
        'isPostal', EXISTS (SELECT FROM shipment_documents d
          WHERE d.shipment_id = s.id AND d.document_type IN ('cn22', 'cn23')),
        'partner', ${partnerAsJson(sql, sql`p.partner_id`)}, 'clientSettings', a.settings)
      FROM shipments s JOIN print_orders p ON p.id = s.print_order_id WHERE s.id = ${shipmentId})`,
  );
  const { order, related: shipment } = found!;
  const { consignment, carrierName } = shipment;
  const [sent, parcels] = [true, false].map((left) => shipment.parcels.filter(({ hasLeft: has }) => has === left));
  const packages = parcels!.map(({ position }) => consignment.packages[position]!);
  const sender = { partner: partnerOf(shipment.partner), clientSettings: shipment.clientSettings };
  const startedAt = new Date(shipment.startedAt);
  const customsForm = shipment.isPostal ? 'postal' : 'commercial';
  const made = contentDocuments(
    { ...consignment, sender: { ...consignment.sender, taxIds: senderTaxIds(order, sender.partner) }, packages },
    parcels!.map(({ trackingNumber }) => ({ carrierName, trackingNumber, customsForm })),
    {
      date: startedAt.toISOString().slice(0, 10),
      rates: await ratesAt(sql, startedAt),
      invoiceOf: (pack, paper) => customerInvoice(order, sender, pack, paper),
    },
  );
  const [kept, positions] = [sent!, parcels!].map((some) => some.map(({ position }) => position));
  const purchase = { id: shipmentId, attempt: shipment.attempt, consignment };
  const documents = made.map((document) => ({
    ...document,
    packagePosition: positions![document.packagePosition!]!,
  }));
  const unused = await replaceDocuments(sql, purchase, await storeDocuments(objects, purchase, documents), kept!);
  await objects.delete(unused);
}

/** Returns the condition that an item in the package `k` of shipment `s` has left. */
const hasLeft = (sql: Queryable): Fragment => sql`
  EXISTS (SELECT FROM print_jobs j JOIN order_items i ON i.id = j.order_item_id
    WHERE j.print_order_id = s.print_order_id AND j.status = ANY(${[...DEPARTED]})
      AND coalesce(j.departed_shipment_id = s.id, true)
      AND k.items @> jsonb_build_array(jsonb_build_object('itemReferenceId', i.item_reference_id)))`;

/** Puts the shipping price on the first invoice of a shipment that is made again. */
async function invoiceShipping(tx: Transaction, shipmentId: string): Promise<void> {
  await tx`
    UPDATE shipments SET consignment = jsonb_set(consignment, ARRAY['packages', first.position, 'paper'], '"invoice_with_shipping"')
    FROM (
      SELECT min(k.position)::text AS position FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
      WHERE s.id = ${shipmentId} AND s.documents_outdated AND k.left_out_at IS NULL AND NOT ${hasLeft(tx)}
        AND s.consignment -> 'packages' -> k.position ->> 'paper' = 'invoice') first
    WHERE id = ${shipmentId} AND first.position IS NOT NULL`;
}
