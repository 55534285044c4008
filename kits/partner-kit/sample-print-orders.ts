import type { ProductKind, ResolvedProduct } from '../../src/catalog/domain/product';
import type { PrintFile } from '../../src/partners/domain/assets';
import { type PrintOrderVersion, printOrderVersion } from '../../src/partners/domain/partner-protocol';
import { buildPrintOrder, type PrintOrderAddress, type PrintOrderInput } from '../../src/partners/domain/print-order';
import type { PrintOrderBody } from '../../src/partners/message-schemas';
import { REFERENCE_RATES } from '../../src/platform/domain/exchange-rates';
import { FRAME, FRAMED_POSTER, PHOTO_BOOK, POSTER, T_SHIRT } from './sample-products';

/** Base of the ids of a check's print orders. They have 18 digits and begin with 99, which no real id reaches. */
const ID_BASE = 990_000_000_000_000_000n;

/** Returns a source of ids that no other check uses: the milliseconds of its start, then a counter. */
export function createSampleIds(startedAt: Date): () => string {
  let next = ID_BASE + (BigInt(startedAt.getTime()) % 10_000_000_000n) * 100_000n;
  return () => String(next++);
}

const SENDER: PrintOrderAddress = {
  firstName: 'Versand',
  lastName: 'Conformance Check',
  company: 'Pressline',
  addressLine1: 'Ritterstraße 12',
  postcode: '10969',
  city: 'Berlin',
  state: 'BE',
  country: 'DE',
  email: 'conformance@pressline.example',
};

/** Long lines, characters beyond ASCII, and a country with other rules than the sender's. */
const DELIVERY: PrintOrderAddress = {
  firstName: 'Conformance',
  lastName: 'Check, do not produce',
  addressLine1: '4 Rue de l’Église',
  addressLine2: 'Bâtiment C, 3ème étage à gauche',
  postcode: '75011',
  city: 'Paris',
  country: 'FR',
  email: 'zoé.müller@example.com',
  phone: '+33 1 23 45 67 89',
};

/** Address after the order update. */
export const CHANGED_DELIVERY: PrintOrderAddress = { ...DELIVERY, addressLine1: '17 Boulevard Voltaire' };

export interface SampleVariant {
  readonly name: string;
  readonly kind: ProductKind;
  readonly products: readonly ResolvedProduct[];
  readonly lists?: 'packages';
}

/** One print order of each form that partners get. */
export const SAMPLE_VARIANTS: readonly SampleVariant[] = [
  { name: 'paper', kind: 'print', products: [POSTER] },
  {
    name: 'paper, several files and packages',
    kind: 'print',
    products: [PHOTO_BOOK, POSTER],
    lists: 'packages',
  },
  { name: 'paper, from stock', kind: 'print', products: [FRAME] },
  { name: 'mounted poster', kind: 'mounted', products: [FRAMED_POSTER] },
  { name: 'apparel', kind: 'apparel', products: [T_SHIRT] },
];

/** What of a sample print order differs from the default. */
interface SampleChange {
  readonly quantity?: number;
  readonly delivery?: PrintOrderAddress;
}

/** A print order of a check. */
export interface SamplePrintOrder {
  readonly id: string;
  readonly kind: ProductKind;
  /** Ids that postbacks and cancel requests may name. */
  readonly itemIds: readonly string[];
  readonly body: PrintOrderBody;
  /** Returns the body of the same print order with other content. */
  changed(change: SampleChange): PrintOrderBody;
}

/**
 * Builds a print order with the code that builds real ones.
 * @param version null for the usual version of the kind
 */
export function samplePrintOrder(
  { kind, products, lists }: SampleVariant,
  deps: {
    /** Base URL of `print.pdf` and `preview.png`, without a trailing slash. A host that partners cannot reach gives 404. */
    readonly filesUrl: string;
    readonly nextId: () => string;
    readonly version: PrintOrderVersion | null;
  },
): SamplePrintOrder {
  const { filesUrl, nextId } = deps;
  const id = nextId();
  const orderDate = new Date();
  const items = products.map((product) => ({
    product,
    id: nextId(),
    partIds: kind === 'mounted' ? product.parts.flatMap(({ type }) => (type === 'service' ? [] : [nextId()])) : [],
  }));
  const input = ({ quantity = 2, delivery = DELIVERY }: SampleChange): PrintOrderInput => ({
    head: {
      version: printOrderVersion(kind, deps.version),
      id,
      orderDate: orderDate.toISOString(),
      dispatchDate: new Date(orderDate.getTime() + 2 * 86_400_000).toISOString().slice(0, 10),
    },
    kind,
    partner: { uid: 'conformance', printHouseUid: null, currency: 'EUR', capabilities: { models: {} } },
    items: items.map((item) => ({ ...item, quantity, files: filesOf(item.product, filesUrl), customTrim: null })),
    packages:
      lists === undefined
        ? null
        : items.map((item, index) => ({
            packageReferenceId: `${id}-${index + 1}`,
            items: [{ orderItemId: item.id, quantity }],
            brandedPackaging: `check-box-${index + 1}`,
          })),
    shipmentMethodUid: 'corvid_post_tracked_packet',
    sender: SENDER,
    delivery,
    customs: { priceTotalMinor: 0, taxMinor: 0, currency: 'EUR' },
    rates: REFERENCE_RATES,
  });
  return {
    id,
    kind,
    itemIds: items.flatMap((item) => (item.partIds.length > 0 ? item.partIds : [item.id])),
    body: buildPrintOrder(input({})),
    changed: (change) => buildPrintOrder(input(change)),
  };
}

function filesOf(product: ResolvedProduct, filesUrl: string): PrintFile[] {
  const fileTypes = product === PHOTO_BOOK ? ['cover', 'default'] : product.printAreas.map(({ fileType }) => fileType);
  return fileTypes.map((fileType) => ({
    fileType,
    contentType: 'application/pdf',
    url: `${filesUrl}/print.pdf`,
    preview: { contentType: 'image/png', url: `${filesUrl}/preview.png` },
    pageCount: 1,
    metadata: product === T_SHIRT ? [{ key: 'text', value: 'Zoé' }] : [],
  }));
}
