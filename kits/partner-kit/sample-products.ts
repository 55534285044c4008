import type { ResolvedAttribute, ResolvedPart, ResolvedProduct } from '../../src/catalog/domain/product';

/** The products of the print orders that a conformance check sends. */

const attribute = (name: string, value: string, properties: Record<string, string> = {}): ResolvedAttribute => ({
  name,
  title: name,
  value,
  formattedValue: value,
  properties,
});

const stockPart = (modelUid: string, name: string, partnerSku: string): ResolvedPart => ({
  partModelId: partnerSku,
  modelUid,
  name,
  type: 'stock',
  quantity: 1,
  attributes: [],
  partnerSku,
  unitPriceMinorEur: 890,
});

/** What a print order does not contain is the same in every sample. */
function product(
  fields: Pick<ResolvedProduct, 'modelUid' | 'kind' | 'name' | 'attributes'> & Partial<ResolvedProduct>,
): ResolvedProduct {
  return {
    productUid: `conformance_${fields.modelUid}`,
    productModelId: fields.modelUid,
    description: '',
    categoryId: 'conformance',
    productTypeUid: 'conformance',
    productNameUid: 'conformance',
    parts: [],
    workflowEnabled: false,
    fileTypes: ['default'],
    printAreas: [{ fileType: 'default', required: true, widthMm: 297, heightMm: 420 }],
    pageRule: null,
    unitWeightGrams: 100,
    packed: { lengthMm: 300, widthMm: 210, heightMm: 10 },
    unitsPerPackage: 10,
    packagingWeightGrams: 50,
    hsCode: '491199',
    priceList: {},
    ...fields,
  };
}

/** One file. */
export const POSTER = product({
  modelUid: 'flat_product',
  kind: 'print',
  name: 'Poster A3',
  attributes: [
    attribute('paper_format', 'a3', { widthMm: '297', heightMm: '420' }),
    attribute('paper_type', '200-gsm-uncoated', { gsm: '200' }),
    attribute('color_type', '4-0'),
  ],
});

/** Two files: cover and inside. */
export const PHOTO_BOOK = product({
  modelUid: 'photobook_hard_cover_product',
  kind: 'print',
  name: 'Photo book A4, hard cover',
  attributes: [attribute('page_format', 'a4'), attribute('page_count', '24')],
});

/** No file: taken from stock. */
export const FRAME = product({
  modelUid: 'frame_product',
  kind: 'print',
  name: 'Frame 30x40, oak',
  attributes: [attribute('frame_color', 'oak')],
  parts: [stockPart('frame_product', 'Frame 30x40, oak', 'frame-wood-oak-30x40')],
  printAreas: [],
});

/** A bundle of a printed part, a part from stock and a service. */
export const FRAMED_POSTER = product({
  modelUid: 'framed_poster_product',
  kind: 'mounted',
  name: 'Framed poster 30x40, oak',
  attributes: [attribute('frame_color', 'oak')],
  parts: [
    {
      partModelId: 'poster-part',
      modelUid: 'flat_product',
      name: 'Poster 30x40',
      type: 'print',
      quantity: 1,
      attributes: [attribute('paper_format', '300x400-mm', { widthMm: '300', heightMm: '400' })],
      partnerSku: null,
      unitPriceMinorEur: 320,
    },
    stockPart('frame_product', 'Frame 30x40, oak', 'frame-wood-oak-30x40'),
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
});

/** Front and back, each with a preview. */
export const T_SHIRT = product({
  modelUid: 'apparel_product',
  kind: 'apparel',
  name: 'T-shirt, navy, M',
  attributes: [attribute('garment_size', 'm'), attribute('garment_color', 'navy')],
  parts: [stockPart('apparel_product', 'Blank t-shirt, navy, M', 'tee-navy-m')],
  fileTypes: ['front', 'back'],
  printAreas: ['front', 'back'].map((fileType) => ({
    fileType,
    required: false,
    widthMm: 300,
    heightMm: 400,
  })),
});

/** SKUs of the stock poll. */
export const SAMPLE_SKUS: readonly string[] = ['frame-wood-oak-30x40', 'tee-navy-m'];
