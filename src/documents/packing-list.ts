import type { Consignment, ConsignmentPackage } from '../consignments/domain/consignment';
import { partyLines } from './customs-declaration';
import { a4, boxes, renderSheet, stacked } from './sheet';

export interface PackingList {
  readonly consignment: Consignment;
  readonly pack: ConsignmentPackage;
  /** Position of the package among all packages, from 1. */
  readonly packageNumber: number;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** Renders the packing list of one package: what it contains, without prices. It travels with the goods. */
export async function renderPackingList(list: PackingList): Promise<Buffer> {
  const { consignment, pack, packageNumber, date } = list;
  const { receiver, reference, packages, brandName } = consignment;
  const units = pack.items.reduce((sum, { quantity }) => sum + quantity, 0);
  return await renderSheet(
    receiver.country,
    {
      title: 'Packing list',
      columns: [
        { title: 'Item', share: 0.6 },
        { title: 'Reference', share: 0.28 },
        { title: 'Quantity', share: 0.12, align: 'right' },
      ],
      rows: pack.items.map((item) => [item.description, item.itemReferenceId, String(item.quantity)]),
      totals: [['Items in this package', String(units)]],
      head: boxes(
        [
          { title: 'TO', lines: partyLines({ ...receiver, email: undefined, taxIds: undefined }), share: 0.5 },
          {
            title: 'PACKAGE',
            lines: [
              pack.packageReferenceId,
              `Package ${packageNumber} of ${packages.length}`,
              `Order ${reference}`,
              `Date ${date}`,
              ...(brandName === undefined ? [] : [brandName]),
            ],
            share: 0.5,
          },
        ],
        9,
      ),
      foot: stacked(),
      footer: `Packing list ${pack.packageReferenceId} · Order ${reference}`,
    },
    a4(16),
  );
}
