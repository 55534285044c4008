import type { Consignment, ConsignmentPackage } from '../consignments/domain/consignment';
import { partyLines } from './customs-text';
import { mm } from './pdf-drawing';
import { boxes, paragraphs, renderSheet, stacked } from './sheet';

export interface PackingList {
  readonly consignment: Consignment;
  readonly pack: ConsignmentPackage;
  /** Position of the package among all packages, from 1. */
  readonly packageNumber: number;
  /** YYYY-MM-DD. */
  readonly date: string;
}

const A4 = { page: [mm(210), mm(297)], margin: mm(16), titleSize: 17, textSize: 8.5 } as const;

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
      head: (pdf, area) =>
        stacked(
          boxes(
            pdf,
            area,
            [
              {
                title: 'TO',
                lines: partyLines({ ...receiver, email: undefined, taxIds: undefined }),
                share: 0.5,
              },
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
        ),
      foot: (pdf, area) => paragraphs(pdf, area, [], 8.5),
      footer: `Packing list ${pack.packageReferenceId} · Order ${reference}`,
    },
    A4,
  );
}
