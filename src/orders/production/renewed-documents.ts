import type { ClientSettings } from '../../accounts/clients';
import type { Consignment } from '../../consignments/domain/consignment';
import { partnerAsJson, partnerOf } from '../../partners/partner-rows';
import { ratesAt } from '../../platform/exchange-rates';
import { contentDocuments } from '../../shipping/document-set';
import { type PurchaseDeps, storeDocuments } from '../../shipping/purchase';
import { replaceDocuments } from '../../shipping/purchase-rows';
import { senderTaxIds } from '../planning/consignments';
import { runOrderWith } from '../planning/run-order';
import { customerInvoice, type PaperRules, paperRules, withShippingInvoiced } from './customer-invoice';

interface OutdatedShipment {
  readonly attempt: number;
  readonly startedAt: string;
  readonly carrierName: string;
  readonly consignment: Consignment;
  readonly parcels: readonly { readonly position: number; readonly trackingNumber: string }[];
  readonly isPostal: boolean;
  readonly partner: Record<string, unknown>;
  readonly clientSettings: ClientSettings;
  readonly rules: PaperRules;
}

/**
 * Makes the documents about the contents of a print order's packages again, after these have changed. Labels and the client's
 * packing slips stay. The new documents have the names of the old ones, so that links to the old ones lead to them.
 */
export async function renewDocuments(
  { sql, objects }: Pick<PurchaseDeps, 'sql' | 'objects'>,
  { orderId, shipmentId }: { orderId: string; shipmentId: string },
): Promise<void> {
  const found = await runOrderWith<OutdatedShipment>(
    sql,
    sql`${orderId}`,
    sql`(SELECT jsonb_build_object('attempt', s.attempt, 'startedAt', s.started_at, 'carrierName', s.carrier_name,
        'consignment', s.consignment, 'parcels', (SELECT coalesce(jsonb_agg(jsonb_build_object('position', k.position,
            'trackingNumber', k.tracking_number) ORDER BY k.position), '[]')
          FROM shipment_packages k WHERE k.shipment_id = s.id AND k.left_out_at IS NULL),
        'isPostal', EXISTS (SELECT FROM shipment_documents d
          WHERE d.shipment_id = s.id AND d.document_type IN ('cn22', 'cn23')),
        'partner', ${partnerAsJson(sql, sql`p.partner_id`)}, 'clientSettings', a.settings, 'rules', ${paperRules(sql)})
      FROM shipments s JOIN print_orders p ON p.id = s.print_order_id WHERE s.id = ${shipmentId})`,
  );
  const { order, related: shipment } = found!;
  const { consignment, carrierName, rules } = shipment;
  const inUse = shipment.parcels.map(({ position }) => consignment.packages[position]!);
  const packages = rules.invoicesShipping ? withShippingInvoiced(inUse) : inUse;
  const sender = { partner: partnerOf(shipment.partner), clientSettings: shipment.clientSettings };
  const startedAt = new Date(shipment.startedAt);
  const customsForm = shipment.isPostal ? 'postal' : 'commercial';
  const made = contentDocuments(
    { ...consignment, sender: { ...consignment.sender, taxIds: senderTaxIds(order, sender.partner) }, packages },
    shipment.parcels.map(({ trackingNumber }) => ({ carrierName, trackingNumber, customsForm })),
    {
      date: startedAt.toISOString().slice(0, 10),
      rates: await ratesAt(sql, startedAt),
      invoiceOf: (pack, paper) => customerInvoice(order, sender, pack, paper),
    },
  );
  const positions = shipment.parcels.map(({ position }) => position);
  const purchase = { id: shipmentId, attempt: shipment.attempt, consignment };
  const documents = made.map((document) => ({
    ...document,
    packagePosition: positions[document.packagePosition!]!,
  }));
  const papered = consignment.packages.map((pack, index) => packages[positions.indexOf(index)] ?? pack);
  const unused = await replaceDocuments(sql, purchase, await storeDocuments(objects, purchase, documents), papered);
  await objects.delete(unused);
}
