import type { PartAttributeValues } from '../customer-product-schemas';

interface DemoCustomerProduct {
  readonly id: string;
  readonly name: string;
  readonly productModelId: string;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly default: string;
    readonly values: Readonly<Record<string, readonly PartAttributeValues[]>>;
  }[];
}

/** Returns the variant values of one attribute of one part, from a table of option text to value id. */
function values(partModelId: string, attributeId: string, table: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(table).map(([text, id]) => [text, [{ partModelId, attributes: { [attributeId]: id } }]]),
  );
}

export const DEMO_CUSTOMER_PRODUCTS: readonly DemoCustomerProduct[] = [
  {
    id: '0190a000-0000-7000-8000-000000000001',
    name: 'Classic tee',
    productModelId: 't-shirt',
    options: [
      {
        id: 'size',
        name: 'Size',
        default: 'M',
        values: values('blank-t-shirt', 'apparel_size', { S: 's', M: 'm', L: 'l', XL: 'xl' }),
      },
      {
        id: 'color',
        name: 'Color',
        default: 'White',
        values: values('blank-t-shirt', 'apparel_color', { White: 'white', Black: 'black', Navy: 'navy' }),
      },
    ],
  },
  {
    id: '0190a000-0000-7000-8000-000000000002',
    name: 'Wall art',
    productModelId: 'framed-poster',
    options: [
      {
        id: 'size',
        name: 'Size',
        default: '30x40 cm',
        values: {
          '30x40 cm': [
            { partModelId: 'poster', attributes: { paper_format: '300x400-mm' } },
            { partModelId: 'poster-frame', attributes: { paper_format: '300x400-mm' } },
          ],
          '50x70 cm': [
            { partModelId: 'poster', attributes: { paper_format: '500x700-mm' } },
            { partModelId: 'poster-frame', attributes: { paper_format: '500x700-mm' } },
          ],
        },
      },
      {
        id: 'frame',
        name: 'Frame',
        default: 'Black',
        values: values('poster-frame', 'frame_material', {
          Black: 'wood-black',
          White: 'wood-white',
          Oak: 'wood-oak',
        }),
      },
    ],
  },
];
