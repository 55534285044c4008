import { contentsValue, lineGrams, lineValue, netWeightGrams } from '../consignments/domain/customs';
import { amount, type CustomsDeclaration, kilograms, partyLines, signerOf } from './customs-declaration';
import { a4, boxes, paragraphs, renderSheet, stacked } from './sheet';

/** Renders the commercial invoice of a package by courier: every item with tariff number, origin, weight and value. */
export async function renderCommercialInvoice(declaration: CustomsDeclaration): Promise<Buffer> {
  const { consignment, pack, carrierName, number, barcode, date, rates } = declaration;
  const { sender, receiver, reference } = consignment;
  const value = contentsValue([pack], consignment.currency, rates);
  const grams = lineGrams(pack.items);
  return await renderSheet(
    receiver.country,
    {
      title: `Commercial Invoice ${number}`,
      columns: [
        { title: 'Description of goods', share: 0.38 },
        { title: 'HS code', share: 0.11 },
        { title: 'Origin', share: 0.07 },
        { title: 'Qty', share: 0.06, align: 'right' },
        { title: 'Net weight', share: 0.12, align: 'right' },
        { title: 'Unit value', share: 0.13, align: 'right' },
        { title: 'Total value', share: 0.13, align: 'right' },
      ],
      rows: pack.items.map((item, index) => [
        item.description,
        item.hsCode ?? '',
        item.countryOfOrigin ?? '',
        String(item.quantity),
        kilograms(grams[index]!),
        amount(item.unitValue),
        amount(lineValue(item)),
      ]),
      totals: [
        ['Net weight', kilograms(netWeightGrams(pack))],
        ['Gross weight', kilograms(pack.grossWeightGrams)],
        ['Total value', amount(value)],
      ],
      head: stacked(
        boxes(
          [
            { title: 'EXPORTER / SENDER', lines: partyLines(sender, 'Sender'), share: 0.5 },
            { title: 'CONSIGNEE / RECEIVER', lines: partyLines(receiver, 'Receiver'), share: 0.5 },
          ],
          9,
        ),
        boxes(
          [
            {
              title: 'INVOICE',
              lines: [`Reference ${reference}`, `Date ${date}`, 'Reason for export: sale'],
              share: 0.34,
            },
            {
              title: 'TERMS',
              lines: [
                `Currency ${value.currency}`,
                receiver.taxIds?.iossNumber || sender.taxIds?.iossNumber ? 'DAP, VAT paid by IOSS' : 'DAP',
              ],
              share: 0.26,
            },
            {
              title: 'CARRIER',
              lines: [
                carrierName,
                barcode.value,
                `Package ${pack.packageReferenceId}`,
                ...(pack.boxType === undefined ? [] : [`Packaging: ${pack.boxType}`]),
              ],
              share: 0.4,
            },
          ],
          8.5,
        ),
      ),
      foot: paragraphs(
        [
          'I declare that the information in this invoice is true and correct, and that the goods are of the origin stated.',
          `Date ${date}     Name ${signerOf(consignment)}     Signature ______________________________`,
        ],
        8.5,
      ),
      footer: `Commercial invoice ${number}`,
    },
    a4(14),
  );
}
