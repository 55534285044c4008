import type { Consignment, ConsignmentItem, ConsignmentPackage } from '../consignments/domain/consignment';
import { partyLines } from './customs-declaration';
import { a4, boxes, renderSheet, stacked } from './sheet';

/** What a package contains. */
export interface PackingList
  extends Pick<Consignment, 'receiver' | 'reference' | 'brandName'>,
    Pick<ConsignmentPackage, 'packageReferenceId'> {
  readonly title: 'Packing list' | 'Delivery note';
  readonly items: readonly Pick<ConsignmentItem, 'description' | 'itemReferenceId' | 'quantity'>[];
  /** Position of the package among all packages, from 1. */
  readonly packageNumber: number;
  readonly packageCount: number;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** Renders the packing list of one package, without prices. It travels with the goods. */
export async function renderPackingList(list: PackingList): Promise<Buffer> {
  const { title, receiver, reference, brandName, packageReferenceId, items, packageNumber, packageCount, date } = list;
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  return await renderSheet(
    receiver.country,
    {
      title,
      columns: [
        { title: 'Item', share: 0.6 },
        { title: 'Reference', share: 0.28 },
        { title: 'Quantity', share: 0.12, align: 'right' },
      ],
      rows: items.map((item) => [item.description, item.itemReferenceId, String(item.quantity)]),
      totals: [['Items in this package', String(units)]],
      head: boxes(
        [
          {
            title: 'TO',
            lines: partyLines({ ...receiver, email: undefined, taxIds: undefined }, 'Receiver'),
            share: 0.5,
          },
          {
            title: 'PACKAGE',
            lines: [
              packageReferenceId,
              `Package ${packageNumber} of ${packageCount}`,
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
      footer: `${title} ${packageReferenceId} · Order ${reference}`,
    },
    a4(16),
  );
}
