import type { PartAttributeValues } from './domain/customer-product';
import type {
  ModelPart,
  ModelState,
  ProductionInput,
  PropertyDefinition,
  PropertyValue,
} from './domain/product-model';

/** An attribute of the demo catalog with its values: `[id, description, properties]`, defaults and custom ones marked. */
interface DemoAttribute {
  readonly id: string;
  readonly description: string;
  readonly properties?: readonly PropertyDefinition[];
  readonly default?: string;
  readonly custom?: string;
  readonly values: readonly (readonly [
    id: string,
    description: string,
    properties?: Record<string, PropertyValue>,
  ])[];
}

interface DemoModel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly categoryId: string;
  readonly productUidTemplate: string;
  readonly state: ModelState;
  /** Values on offer where not all of the attribute's are. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
  readonly parts?: readonly ModelPart[];
  readonly production: ProductionInput;
}

interface DemoCustomerProduct {
  readonly id: string;
  readonly name: string;
  readonly productModelId: string;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly default: string;
    readonly mapping: readonly { readonly partModelId: string; readonly attributeIds: readonly string[] }[];
    readonly values: Readonly<Record<string, readonly PartAttributeValues[]>>;
  }[];
}

const size: readonly PropertyDefinition[] = [
  { id: 'widthMm', description: 'Width, portrait', type: 'number' },
  { id: 'heightMm', description: 'Height, portrait', type: 'number' },
  { id: 'code', description: 'Short name in stock numbers', type: 'string' },
];
const paper: readonly PropertyDefinition[] = [
  { id: 'gsm', description: 'Grams per square metre', type: 'number' },
];
const colour: readonly PropertyDefinition[] = [{ id: 'hex', description: 'Colour code', type: 'string' }];

export const DEMO_ATTRIBUTES: readonly DemoAttribute[] = [
  {
    id: 'paper_format',
    description: 'Paper format',
    properties: size,
    default: 'a3',
    values: [
      ['a4', 'A4', { widthMm: 210, heightMm: 297, code: 'a4' }],
      ['a3', 'A3', { widthMm: 297, heightMm: 420, code: 'a3' }],
      ['a2', 'A2', { widthMm: 420, heightMm: 594, code: 'a2' }],
      ['a1', 'A1', { widthMm: 594, heightMm: 841, code: 'a1' }],
      ['200x300-mm', '20 x 30 cm', { widthMm: 200, heightMm: 300, code: '20x30' }],
      ['300x400-mm', '30 x 40 cm', { widthMm: 300, heightMm: 400, code: '30x40' }],
      ['500x700-mm', '50 x 70 cm', { widthMm: 500, heightMm: 700, code: '50x70' }],
    ],
  },
  {
    id: 'paper_type',
    description: 'Paper',
    properties: paper,
    default: '200-gsm-uncoated',
    values: [
      ['170-gsm-silk', '170 g/m2 silk', { gsm: 170 }],
      ['200-gsm-uncoated', '200 g/m2 uncoated', { gsm: 200 }],
      ['250-gsm-fine-art', '250 g/m2 fine art', { gsm: 250 }],
    ],
  },
  {
    id: 'color_type',
    description: 'Printed sides',
    default: '4-0',
    values: [
      ['4-0', 'Front in full colour'],
      ['4-4', 'Front and back in full colour'],
    ],
  },
  {
    id: 'orientation',
    description: 'Orientation',
    default: 'ver',
    values: [
      ['ver', 'Portrait', { landscape: 'no' }],
      ['hor', 'Landscape', { landscape: 'yes' }],
    ],
  },
  {
    id: 'card_format',
    description: 'Card format',
    properties: size,
    default: 'a6',
    values: [
      ['a6', 'A6', { widthMm: 105, heightMm: 148, code: 'a6' }],
      ['a5', 'A5', { widthMm: 148, heightMm: 210, code: 'a5' }],
      ['dl', 'DL', { widthMm: 99, heightMm: 210, code: 'dl' }],
    ],
  },
  {
    id: 'card_paper',
    description: 'Card paper',
    properties: paper,
    default: '350-gsm-silk',
    values: [
      ['350-gsm-silk', '350 g/m2 silk', { gsm: 350 }],
      ['300-gsm-uncoated', '300 g/m2 uncoated', { gsm: 300 }],
    ],
  },
  {
    id: 'book_format',
    description: 'Book format',
    properties: size,
    default: 'a4',
    values: [
      ['a4', 'A4', { widthMm: 210, heightMm: 297, code: 'a4' }],
      ['a5', 'A5', { widthMm: 148, heightMm: 210, code: 'a5' }],
      ['210x210-mm', '21 x 21 cm', { widthMm: 210, heightMm: 210, code: '21x21' }],
    ],
  },
  {
    id: 'book_paper',
    description: 'Inside paper',
    properties: paper,
    default: '170-gsm-silk',
    values: [
      ['170-gsm-silk', '170 g/m2 silk', { gsm: 170 }],
      ['200-gsm-matt', '200 g/m2 matt', { gsm: 200 }],
    ],
  },
  {
    id: 'cover_finish',
    description: 'Cover finish',
    default: 'matt',
    values: [
      ['matt', 'Matt'],
      ['glossy', 'Glossy'],
    ],
  },
  {
    id: 'page_count',
    description: 'Pages',
    properties: [
      { id: 'min', description: 'Fewest pages', type: 'number' },
      { id: 'max', description: 'Most pages', type: 'number' },
      { id: 'multipleOf', description: 'Pages come in multiples of', type: 'number' },
    ],
    default: '24',
    custom: 'pages',
    values: [
      ['24', '24 pages'],
      ['pages', 'Any even number of pages', { min: 24, max: 200, multipleOf: 2 }],
    ],
  },
  {
    id: 'mug_size',
    description: 'Mug size',
    default: '11-oz',
    values: [
      ['11-oz', '11 oz (325 ml)', { widthMm: 200, heightMm: 85 }],
      ['15-oz', '15 oz (440 ml)', { widthMm: 225, heightMm: 102 }],
    ],
  },
  {
    id: 'mug_color',
    description: 'Mug colour',
    properties: colour,
    default: 'white',
    values: [
      ['white', 'White', { hex: '#ffffff' }],
      ['black', 'Black', { hex: '#1c1c1c' }],
    ],
  },
  {
    id: 'apparel_size',
    description: 'Size',
    default: 'm',
    values: [
      ['xs', 'XS', { order: 1 }],
      ['s', 'S', { order: 2 }],
      ['m', 'M', { order: 3 }],
      ['l', 'L', { order: 4 }],
      ['xl', 'XL', { order: 5 }],
      ['xxl', 'XXL', { order: 6 }],
    ],
  },
  {
    id: 'apparel_color',
    description: 'Colour',
    properties: colour,
    default: 'white',
    values: [
      ['white', 'White', { hex: '#ffffff' }],
      ['black', 'Black', { hex: '#111111' }],
      ['navy', 'Navy', { hex: '#1f2a44' }],
      ['heather-grey', 'Heather grey', { hex: '#b3b5b4' }],
    ],
  },
  {
    id: 'print_sides',
    description: 'Print location',
    default: '4-0',
    values: [
      ['4-0', 'Front', { location: 'front' }],
      ['0-4', 'Back', { location: 'back' }],
      ['4-4', 'Front and back', { location: 'front+back' }],
    ],
  },
  {
    id: 'frame_material',
    description: 'Frame',
    properties: colour,
    default: 'wood-black',
    values: [
      ['wood-black', 'Black wood', { hex: '#1a1a1a' }],
      ['wood-white', 'White wood', { hex: '#f4f4f0' }],
      ['wood-oak', 'Oak', { hex: '#c8a26a' }],
    ],
  },
  {
    id: 'sticker_format',
    description: 'Sticker size',
    properties: size,
    default: '75x75-mm',
    values: [
      ['75x75-mm', '7.5 x 7.5 cm', { widthMm: 75, heightMm: 75, code: '75' }],
      ['100x100-mm', '10 x 10 cm', { widthMm: 100, heightMm: 100, code: '100' }],
    ],
  },
];

/** Quantity breaks from `[from, euro cents, dollar cents, pence]` rows. */
function prices(...rows: readonly (readonly [from: number, eur: number, usd: number, gbp: number])[]) {
  const column = (index: 1 | 2 | 3) => rows.map((row) => ({ from: row[0], unitMinor: row[index] }));
  return { EUR: column(1), USD: column(2), GBP: column(3) };
}

const formatFactors = {
  a4: '0.75',
  a3: '1',
  a2: '1.6',
  a1: '2.4',
  '200x300-mm': '0.75',
  '300x400-mm': '1',
  '500x700-mm': '1.9',
};
const FRAME_FORMATS = ['a4', 'a3', '300x400-mm', '500x700-mm'];

export const DEMO_MODELS: readonly DemoModel[] = [
  {
    id: 'poster',
    name: 'Poster',
    description: 'Paper poster, rolled',
    categoryId: 'posters',
    productUidTemplate: 'flat_product_pf_{paper_format}_pt_{paper_type}_cl_{color_type}_{orientation}',
    state: 'active',
    production: {
      modelUid: 'flat_product',
      productTypeUid: 'flat',
      productNameUid: 'poster',
      fileTypes: ['default', 'front', 'back'],
      sizeAttribute: 'paper_format',
      orientationAttribute: 'orientation',
      paperAttribute: 'paper_type',
      printAreas: [
        { fileType: 'front' },
        { fileType: 'back', when: { attributeId: 'color_type', valueIds: ['4-4'] } },
      ],
      packed: { form: 'tube', diameterMm: 80, marginMm: 30 },
      unitsPerPackage: 10,
      packagingWeightGrams: 140,
      hsCode: '491191',
      priceList: prices([1, 790, 890, 690], [10, 640, 720, 560], [50, 520, 590, 450]),
      priceFactors: {
        paper_format: formatFactors,
        color_type: { '4-4': '1.25' },
        paper_type: { '250-gsm-fine-art': '1.4' },
      },
      unitPriceMinorEur: 320,
    },
  },
  {
    id: 'flat-card',
    name: 'Flat card',
    description: 'Printed card',
    categoryId: 'cards',
    productUidTemplate: 'card_product_pf_{card_format}_pt_{card_paper}_cl_{color_type}_{orientation}',
    state: 'active',
    production: {
      modelUid: 'card_product',
      productTypeUid: 'cards',
      productNameUid: 'flat-card',
      fileTypes: ['default', 'front', 'back', 'inside'],
      sizeAttribute: 'card_format',
      orientationAttribute: 'orientation',
      paperAttribute: 'card_paper',
      printAreas: [
        { fileType: 'front' },
        { fileType: 'back', when: { attributeId: 'color_type', valueIds: ['4-4'] } },
      ],
      packed: { form: 'flat', marginMm: 15, thicknessMm: 1 },
      unitsPerPackage: 250,
      packagingWeightGrams: 25,
      hsCode: '490900',
      priceList: prices([1, 190, 210, 165], [25, 95, 105, 82], [100, 48, 53, 42]),
      priceFactors: { card_format: { a5: '1.5', dl: '1.1' }, color_type: { '4-4': '1.3' } },
    },
  },
  {
    id: 'photo-book',
    name: 'Photo book',
    description: 'Hard cover photo book',
    categoryId: 'photo-books',
    productUidTemplate:
      'photobook_hard_cover_product_pf_{book_format}_pt_{book_paper}_fin_{cover_finish}_pc_{page_count}',
    state: 'active',
    production: {
      modelUid: 'photobook_hard_cover_product',
      productTypeUid: 'photo-books',
      productNameUid: 'photo-book-hard-cover',
      fileTypes: ['default', 'cover', 'inside'],
      sizeAttribute: 'book_format',
      paperAttribute: 'book_paper',
      printAreas: [{ fileType: 'default' }],
      pages: { attributeId: 'page_count', multipleOf: 2, included: 24 },
      weightGrams: 180,
      packed: { form: 'flat', marginMm: 25, thicknessMm: 22 },
      unitsPerPackage: 4,
      packagingWeightGrams: 90,
      hsCode: '490199',
      priceList: prices([1, 1890, 2090, 1650], [5, 1690, 1890, 1480]),
      priceFactors: { book_format: { a5: '0.7', '210x210-mm': '0.85' } },
      pagePrices: { EUR: 35, USD: 40, GBP: 30 },
    },
  },
  {
    id: 'mug',
    name: 'Mug',
    description: 'Ceramic mug, printed around',
    categoryId: 'mugs',
    productUidTemplate: 'mug_product_msz_{mug_size}_mcl_{mug_color}',
    state: 'active',
    production: {
      modelUid: 'mug_product',
      productTypeUid: 'mugs',
      productNameUid: 'ceramic-mug',
      fileTypes: ['default'],
      sizeAttribute: 'mug_size',
      printAreas: [{ fileType: 'default' }],
      weightGrams: 350,
      addedGrams: { mug_size: { '15-oz': 90 } },
      packed: { form: 'box', lengthMm: 130, widthMm: 110, heightMm: 110 },
      unitsPerPackage: 6,
      packagingWeightGrams: 80,
      hsCode: '691110',
      priceList: prices([1, 690, 790, 590], [12, 560, 640, 490]),
      priceFactors: { mug_size: { '15-oz': '1.2' }, mug_color: { black: '1.1' } },
    },
  },
  {
    id: 't-shirt',
    name: 'T-shirt',
    description: 'Unisex crewneck t-shirt',
    categoryId: 't-shirts',
    productUidTemplate:
      'apparel_product_gca_t-shirt_gsi_{apparel_size}_gco_{apparel_color}_gpr_{print_sides}',
    state: 'active',
    parts: [{ id: 'blank', modelId: 'blank-t-shirt', name: 'Blank t-shirt', quantity: 1, order: 1 }],
    production: {
      kind: 'apparel',
      modelUid: 'apparel_product',
      productTypeUid: 'apparel',
      productNameUid: 't-shirt-unisex',
      printAreas: [
        {
          fileType: 'front',
          size: { widthMm: 300, heightMm: 400 },
          when: { attributeId: 'print_sides', valueIds: ['4-0', '4-4'] },
        },
        {
          fileType: 'back',
          size: { widthMm: 300, heightMm: 400 },
          when: { attributeId: 'print_sides', valueIds: ['0-4', '4-4'] },
        },
      ],
      packed: { form: 'box', lengthMm: 300, widthMm: 220, heightMm: 25 },
      unitsPerPackage: 8,
      packagingWeightGrams: 20,
      hsCode: '610910',
      priceList: prices([1, 1190, 1290, 990], [10, 990, 1090, 840]),
      priceFactors: { print_sides: { '4-4': '1.35' }, apparel_size: { xxl: '1.1' } },
    },
  },
  {
    id: 'blank-t-shirt',
    name: 'Blank t-shirt',
    description: 'Unprinted t-shirt, cotton',
    categoryId: 'blanks',
    productUidTemplate: 'blank_t-shirt_gsi_{apparel_size}_gco_{apparel_color}',
    state: 'active',
    production: {
      kind: 'apparel',
      modelUid: 'blank_t_shirt_product',
      partType: 'stock',
      weightGrams: 150,
      addedGrams: { apparel_size: { l: 12, xl: 25, xxl: 40 } },
      packed: { form: 'box', lengthMm: 300, widthMm: 220, heightMm: 25 },
      hsCode: '610910',
      partnerSku: 'tee-{apparel_color}-{apparel_size}',
      unitPriceMinorEur: 310,
    },
  },
  {
    id: 'framed-poster',
    name: 'Framed poster',
    description: 'Poster mounted in a wooden frame',
    categoryId: 'framed-posters',
    productUidTemplate:
      'framed_poster_product_mf_{paper_format}_fr_{frame_material}_pt_{paper_type}_{orientation}',
    state: 'active',
    offers: { paper_format: FRAME_FORMATS },
    parts: [
      { id: 'poster', modelId: 'poster', name: 'Poster', quantity: 1, order: 1 },
      { id: 'frame', modelId: 'poster-frame', name: 'Frame', quantity: 1, order: 2 },
      { id: 'mounting', modelId: 'mounting-service', name: 'Mounting', quantity: 1, order: 3 },
    ],
    production: {
      kind: 'mounted',
      modelUid: 'framed_poster_product',
      productTypeUid: 'framed-posters',
      productNameUid: 'framed-poster-wood',
      sizeAttribute: 'paper_format',
      orientationAttribute: 'orientation',
      printAreas: [{ fileType: 'default' }],
      packed: { form: 'flat', marginMm: 60, thicknessMm: 45 },
      unitsPerPackage: 2,
      packagingWeightGrams: 450,
      hsCode: '491191',
      priceList: prices([1, 3490, 3890, 2990], [5, 3190, 3490, 2690]),
      priceFactors: { paper_format: formatFactors, paper_type: { '250-gsm-fine-art': '1.1' } },
    },
  },
  {
    id: 'poster-frame',
    name: 'Poster frame',
    description: 'Wooden frame with acrylic glass',
    categoryId: 'frames',
    productUidTemplate: 'frame_product_mf_{paper_format}_fr_{frame_material}',
    state: 'active',
    offers: { paper_format: FRAME_FORMATS },
    production: {
      kind: 'mounted',
      modelUid: 'frame_product',
      partType: 'stock',
      weightGrams: 900,
      addedGrams: { paper_format: { a3: 250, '300x400-mm': 250, '500x700-mm': 1100 } },
      packed: { form: 'flat', marginMm: 60, thicknessMm: 45 },
      hsCode: '441490',
      partnerSku: 'frame-{frame_material}-{paper_format.code}',
      unitPriceMinorEur: 1150,
    },
  },
  {
    id: 'mounting-service',
    name: 'Mounting',
    description: 'Poster is mounted in its frame',
    categoryId: 'services',
    productUidTemplate: 'fulfillment_service_product_mounting',
    state: 'active',
    production: {
      kind: 'mounted',
      modelUid: 'fulfillment_service_product',
      partType: 'service',
      unitPriceMinorEur: 250,
    },
  },
  {
    id: 'sticker',
    name: 'Sticker',
    description: 'Cut sticker, made by a partner workflow of its own',
    categoryId: 'stickers',
    productUidTemplate: 'sticker_product_sf_{sticker_format}',
    state: 'active',
    production: {
      modelUid: 'sticker_product',
      productTypeUid: 'stickers',
      productNameUid: 'sticker',
      workflowEnabled: true,
      sizeAttribute: 'sticker_format',
      printAreas: [{ fileType: 'default', required: false }],
      weightGrams: 3,
      packed: { form: 'flat', marginMm: 20, thicknessMm: 1 },
      unitsPerPackage: 200,
      packagingWeightGrams: 15,
      hsCode: '482110',
      priceList: prices([1, 290, 320, 250], [50, 90, 99, 78]),
    },
  },
  {
    id: 'canvas',
    name: 'Canvas',
    description: 'Canvas on a stretcher, in preparation',
    categoryId: 'canvases',
    productUidTemplate: 'canvas_product_cf_{paper_format}_{orientation}',
    state: 'draft',
    production: {
      modelUid: 'canvas_product',
      sizeAttribute: 'paper_format',
      printAreas: [{ fileType: 'default' }],
    },
  },
  {
    id: 'satin-poster',
    name: 'Satin poster',
    description: 'No longer made',
    categoryId: 'posters',
    productUidTemplate: 'satin_poster_product_pf_{paper_format}_{orientation}',
    state: 'inactive',
    production: {
      modelUid: 'satin_poster_product',
      sizeAttribute: 'paper_format',
      orientationAttribute: 'orientation',
      printAreas: [{ fileType: 'default' }],
      priceList: prices([1, 890, 990, 790]),
    },
  },
];

/** A value for every option text: `{S: {size: 's'}}`-like tables, one part. */
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
        mapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
        values: values('blank-t-shirt', 'apparel_size', { S: 's', M: 'm', L: 'l', XL: 'xl' }),
      },
      {
        id: 'color',
        name: 'Color',
        default: 'White',
        mapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_color'] }],
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
        mapping: [
          { partModelId: 'poster', attributeIds: ['paper_format'] },
          { partModelId: 'poster-frame', attributeIds: ['paper_format'] },
        ],
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
        mapping: [{ partModelId: 'poster-frame', attributeIds: ['frame_material'] }],
        values: values('poster-frame', 'frame_material', {
          Black: 'wood-black',
          White: 'wood-white',
          Oak: 'wood-oak',
        }),
      },
    ],
  },
];
