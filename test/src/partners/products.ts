import type { ResolvedAttribute, ResolvedProduct } from '../../../src/catalog/domain/product';

/** Resolved products for tests. */

export function attribute(name: string, value: string, properties: Record<string, string> = {}): ResolvedAttribute {
  return { name, title: name, value, formattedValue: value, properties };
}

const base = {
  description: '',
  categoryId: 'prints',
  productTypeUid: 'prints',
  productNameUid: 'prints',
  workflowEnabled: false,
  printAreas: [],
  pageRule: null,
  unitWeightGrams: 100,
  packed: { lengthMm: 300, widthMm: 210, heightMm: 10 },
  unitsPerPackage: 10,
  packagingWeightGrams: 50,
  hsCode: '491199',
  priceList: { EUR: [{ from: 1, unitMinor: 1_000 }] },
} as const;

export const poster: ResolvedProduct = {
  ...base,
  productUid: 'flat_a3_200-gsm-silk_4-0',
  productModelId: 'poster',
  modelUid: 'flat_product',
  kind: 'print',
  name: 'Poster A3',
  attributes: [
    attribute('paper_format', 'a3', { widthMm: '297', heightMm: '420' }),
    attribute('paper_type', '200-gsm-silk', { grammage: '200' }),
    attribute('color_type', '4-0'),
  ],
  parts: [],
  fileTypes: ['default'],
};

export const photoBook: ResolvedProduct = {
  ...base,
  productUid: 'photobook_a4_hard-cover_24',
  productModelId: 'photo-book',
  modelUid: 'photobook_hard_cover_product',
  kind: 'print',
  name: 'Photo book A4, hard cover',
  attributes: [attribute('page_format', 'a4'), attribute('page_count', '24')],
  parts: [],
  fileTypes: ['default', 'cover'],
};

export const mug: ResolvedProduct = {
  ...base,
  productUid: 'mug_11-oz_white',
  productModelId: 'mug',
  modelUid: 'mug_product',
  kind: 'print',
  name: 'Mug 11 oz, white',
  attributes: [attribute('size', '11-oz')],
  parts: [],
  fileTypes: ['default'],
};

export const framedPoster: ResolvedProduct = {
  ...base,
  productUid: 'framed_30x40_black-wood',
  productModelId: 'framed-poster',
  modelUid: 'frame_product',
  kind: 'mounted',
  name: 'Framed poster 30x40, black wood',
  attributes: [attribute('frame_format', '30x40-cm')],
  parts: [
    {
      partModelId: 'poster-part',
      modelUid: 'flat_product',
      name: 'Poster 30x40',
      type: 'print',
      quantity: 1,
      attributes: [attribute('paper_format', '30x40-cm', { widthMm: '300', heightMm: '400' })],
      partnerSku: null,
      unitPriceMinorEur: 320,
    },
    {
      partModelId: 'frame-part',
      modelUid: 'frame_product',
      name: 'Frame 30x40, black wood',
      type: 'stock',
      quantity: 1,
      attributes: [attribute('frame_color', 'black')],
      partnerSku: 'frame-wood-black-30x40',
      unitPriceMinorEur: 890,
    },
    {
      partModelId: 'mounting-part',
      modelUid: 'fulfillment_service_product',
      name: 'Mounting',
      type: 'service',
      quantity: 1,
      attributes: [attribute('service', 'mounting')],
      partnerSku: null,
      unitPriceMinorEur: 150,
    },
  ],
  fileTypes: ['default'],
};

export const tShirt: ResolvedProduct = {
  ...base,
  productUid: 'apparel_t-shirt_unisex_white_m_4-4',
  productModelId: 't-shirt',
  modelUid: 'apparel_product',
  kind: 'apparel',
  name: 'T-shirt, white, M',
  attributes: [attribute('garment_size', 'm'), attribute('garment_color', 'white'), attribute('color_type', '4-4')],
  parts: [
    {
      partModelId: 'blank',
      modelUid: 'apparel_product',
      name: 'Blank t-shirt, white, M',
      type: 'stock',
      quantity: 1,
      attributes: [],
      partnerSku: 'tee-white-m',
      unitPriceMinorEur: 410,
    },
  ],
  fileTypes: ['default', 'front', 'back'],
};

export const ALL_PRODUCTS = [poster, photoBook, mug, framedPoster, tShirt] as const;
