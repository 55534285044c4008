import type { ModelState, ProductionInput } from '../../src/catalog/domain/product-model';
import type { ModelPart } from '../../src/catalog/product-model-schemas';

interface DemoModel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly categoryId: string;
  readonly productUidTemplate: string;
  /** Default: active. */
  readonly state?: ModelState;
  /** Values on offer by attribute. An attribute that is not listed offers all of its values. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
  readonly parts?: readonly ModelPart[];
  readonly production: ProductionInput;
}

/** Returns quantity breaks by currency from rows of `[from, euro cents, US cents, pence]`. */
function prices(...rows: readonly (readonly [from: number, eur: number, usd: number, gbp: number])[]) {
  const column = (index: 1 | 2 | 3) => rows.map((row) => ({ from: row[0], unitMinor: row[index] }));
  return { EUR: column(1), USD: column(2), GBP: column(3) };
}

const part = (id: string, modelId: string, name: string, order: number) => ({ id, modelId, name, quantity: 1, order });

const formatFactors = {
  a4: '0.75',
  a3: '1',
  a2: '1.6',
  a1: '2.4',
  '200x300-mm': '0.75',
  '300x400-mm': '1',
  '500x700-mm': '1.9',
};
const CHEST = { widthMm: 300, heightMm: 400 };
const LABEL = { widthMm: 60, heightMm: 60 };
const SLEEVE = { widthMm: 90, heightMm: 110 };
const FRAME_FORMATS = ['a4', 'a3', '300x400-mm', '500x700-mm'];

export const DEMO_MODELS: readonly DemoModel[] = [
  {
    id: 'poster',
    name: 'Poster',
    description: 'Paper poster, rolled',
    categoryId: 'posters',
    productUidTemplate: 'flat_product_pf_{paper_format}_pt_{paper_type}_cl_{color_type}_{orientation}',
    production: {
      modelUid: 'flat_product',
      productTypeUid: 'flat',
      productNameUid: 'poster',
      fileTypes: ['default', 'front', 'back'],
      sizeAttribute: 'paper_format',
      orientationAttribute: 'orientation',
      paperAttribute: 'paper_type',
      printAreas: [{ fileType: 'front' }, { fileType: 'back', when: { attributeId: 'color_type', valueIds: ['4-4'] } }],
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
    production: {
      modelUid: 'card_product',
      productTypeUid: 'cards',
      productNameUid: 'flat-card',
      fileTypes: ['default', 'front', 'back'],
      sizeAttribute: 'card_format',
      orientationAttribute: 'orientation',
      paperAttribute: 'card_paper',
      printAreas: [{ fileType: 'front' }, { fileType: 'back', when: { attributeId: 'color_type', valueIds: ['4-4'] } }],
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
    production: {
      modelUid: 'photobook_hard_cover_product',
      productTypeUid: 'photo-books',
      productNameUid: 'photo-book-hard-cover',
      fileTypes: ['default', 'cover', 'inside'],
      sizeAttribute: 'book_format',
      paperAttribute: 'book_paper',
      printAreas: [{ fileType: 'default' }],
      pages: { attributeId: 'page_count', multipleOf: 2, included: 24, spine: { baseMm: 6, pageMm: 0.1 } },
      weightGrams: 180,
      packed: { form: 'flat', marginMm: 25, thicknessMm: 22 },
      unitsPerPackage: 4,
      packagingWeightGrams: 90,
      hsCode: '490199',
      taxCategory: 'books',
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
    production: {
      modelUid: 'mug_product',
      productTypeUid: 'mugs',
      productNameUid: 'ceramic-mug',
      fileTypes: ['default'],
      sizeAttribute: 'mug_size',
      printAreas: [{ fileType: 'default', needs: { bleedMm: 0 } }],
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
    productUidTemplate: 'apparel_product_gca_t-shirt_gsi_{apparel_size}_gco_{apparel_color}_gpr_{print_sides}',
    parts: [{ ...part('blank', 'blank-t-shirt', 'Blank t-shirt', 1), prices: { EUR: 590, USD: 640, GBP: 490 } }],
    production: {
      kind: 'apparel',
      modelUid: 'apparel_product',
      productTypeUid: 'apparel',
      productNameUid: 't-shirt-unisex',
      printAreas: [
        { fileType: 'front', size: CHEST, when: { attributeId: 'print_sides', valueIds: ['4-0', '4-4'] } },
        { fileType: 'back', size: CHEST, when: { attributeId: 'print_sides', valueIds: ['0-4', '4-4'] } },
      ],
      otherSizes: { 'neck-inner': LABEL, 'neck-outer': LABEL, 'sleeve-left': SLEEVE, 'sleeve-right': SLEEVE },
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
    productUidTemplate: 'framed_poster_product_mf_{paper_format}_fr_{frame_material}_pt_{paper_type}_{orientation}',
    offers: { paper_format: FRAME_FORMATS },
    parts: [
      { ...part('poster', 'poster', 'Poster', 1), prices: { EUR: 640, USD: 720, GBP: 560 } },
      { ...part('frame', 'poster-frame', 'Frame', 2), prices: { EUR: 1990, USD: 2190, GBP: 1690 } },
      { ...part('mounting', 'mounting-service', 'Mounting', 3), prices: { EUR: 390, USD: 430, GBP: 330 } },
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
    description: 'Square sticker',
    categoryId: 'stickers',
    productUidTemplate: 'sticker_product_sf_{sticker_format}',
    production: {
      modelUid: 'sticker_product',
      productTypeUid: 'stickers',
      productNameUid: 'sticker',
      fileTypes: ['default'],
      sizeAttribute: 'sticker_format',
      printAreas: [{ fileType: 'default' }],
      weightGrams: 3,
      packed: { form: 'flat', marginMm: 20, thicknessMm: 1 },
      unitsPerPackage: 200,
      packagingWeightGrams: 15,
      hsCode: '482110',
      priceList: prices([1, 290, 320, 250], [50, 90, 99, 78]),
    },
  },
  {
    id: 'die-cut-sticker',
    name: 'Die-cut sticker',
    description: 'Sticker of any shape, made by a workflow of the partner: takes files of any type',
    categoryId: 'stickers',
    productUidTemplate: 'die_cut_sticker_product_sf_{sticker_format}',
    production: {
      modelUid: 'die_cut_sticker_product',
      productTypeUid: 'stickers',
      productNameUid: 'die-cut-sticker',
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
