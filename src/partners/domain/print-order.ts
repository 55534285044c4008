import type {
  ProductKind,
  ResolvedAttribute,
  ResolvedPart,
  ResolvedProduct,
} from '../../catalog/domain/product';
import { convertMinor, fromMinor, type RateTable } from '../../platform/domain/money';
import type { PostalAddress } from '../../shipping/domain/shipment';

/** Versions of the print order message (interface "Versioning"); a partner picks one when it subscribes. */
export const PRINT_ORDER_VERSIONS = ['1.0', '1.1'] as const;
export type PrintOrderVersion = (typeof PRINT_ORDER_VERSIONS)[number];

/** Version for partners that picked none: what production systems of the kind have long taken. */
const USUAL_VERSION: Readonly<Record<ProductKind, PrintOrderVersion>> = {
  print: '1.1',
  mounted: '1.1',
  apparel: '1.0',
};

export function printOrderVersion(kind: ProductKind, picked: PrintOrderVersion | null): PrintOrderVersion {
  return picked ?? USUAL_VERSION[kind];
}

/** Where a partner takes print orders of a kind; null while it has not subscribed. */
export function submitUrlFor(
  kind: ProductKind,
  partner: { readonly orderSubmitUrl: string | null; readonly apparelOrderSubmitUrl: string | null },
): string | null {
  return kind === 'apparel'
    ? (partner.apparelOrderSubmitUrl ?? partner.orderSubmitUrl)
    : partner.orderSubmitUrl;
}

export type AssetFormat = 'pdf' | 'png' | 'jpeg';

/** File types of orders, as asset types call them; `default` depends on the product. */
const ASSET_TYPES = {
  cover: 'cover',
  front: 'front',
  back: 'back',
  inside: 'text',
  'neck-inner': 'inlbl',
  'neck-outer': 'bcklbl',
  'sleeve-left': 'shsll',
  'sleeve-right': 'shslr',
  'chest-left-embroidery': 'front',
  'chest-center-embroidery': 'front',
  'chest-large-embroidery': 'front',
  'sleeve-left-embroidery': 'shsll',
  'sleeve-right-embroidery': 'shslr',
  'wrist-left-embroidery': 'shsll',
  'wrist-right-embroidery': 'shslr',
} as const satisfies Readonly<Record<string, string>>;

type PrintedAssetType = (typeof ASSET_TYPES)[keyof typeof ASSET_TYPES];
type ApparelAssetType = Exclude<PrintedAssetType, 'text' | 'cover'>;
export type AssetType = PrintedAssetType | `${ApparelAssetType}_preview`;

const FORMATS: Readonly<Record<string, AssetFormat>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpeg',
};

const PRODUCT_BUNDLE = 'product_bundle';

// The message, field by field as the interface has it ----------------------------------------------------

export interface ProductAttributeBody {
  readonly name: string;
  readonly value: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

export interface AssetBody {
  readonly format: AssetFormat;
  readonly contentType: string;
  readonly url: string;
  readonly type?: AssetType;
}

export interface OrderItemBody {
  readonly id: string;
  readonly count: number;
  readonly type: 'print' | 'stock';
  readonly product: {
    readonly modelUid: string;
    readonly desc: string;
    readonly attributes: readonly ProductAttributeBody[];
  };
  readonly assets: readonly AssetBody[];
}

/** A part of a bundle: services carry no id, and what is not printed carries no assets. */
export interface BundlePartBody extends Omit<OrderItemBody, 'id' | 'assets'> {
  readonly id?: string;
  readonly unit_price: number;
  readonly assets: readonly AssetBody[] | null;
}

export interface BundleBody {
  readonly type: typeof PRODUCT_BUNDLE | 'print' | 'stock';
  readonly parts: readonly BundlePartBody[];
}

export interface AddressBody {
  readonly type: 'sender' | 'delivery';
  readonly firstName: string;
  readonly lastName: string;
  readonly companyName?: string;
  readonly addressLine1: string;
  readonly addressLine2?: string;
  readonly addressLine3?: string;
  readonly postalCode: string;
  readonly city: string;
  readonly stateCode?: string;
  readonly administrativeAreaLevel1?: string;
  readonly countryCode: string;
  readonly email: string;
  readonly phone?: string;
}

interface CommonBody {
  readonly version: PrintOrderVersion;
  readonly id: string;
  readonly orderDate: string;
  readonly dispatchDate: string;
  readonly shipping: {
    readonly shipmentMethodUid: string;
    readonly address: readonly AddressBody[];
    readonly customs: { readonly priceTotal: number; readonly tax: number; readonly currencyCode: string };
  };
}

export interface PaperPrintOrderBody extends CommonBody {
  readonly brandedPackaging?: string;
  readonly items: readonly OrderItemBody[];
}

export interface MountedPrintOrderBody extends CommonBody {
  readonly brandedPackaging?: string;
  readonly printHouseUid: string;
  readonly items: readonly BundleBody[];
}

export interface ApparelPrintOrderBody extends CommonBody {
  readonly items: readonly OrderItemBody[];
}

export type PrintOrderBody = PaperPrintOrderBody | MountedPrintOrderBody | ApparelPrintOrderBody;

// What it is made from -----------------------------------------------------------------------------------

/** One stored print file of an item, with the links a partner may use for a time. */
export interface PrintFile {
  /** File type as ordered: `default`, `front`, `cover`... */
  readonly fileType: string;
  readonly contentType: string;
  /** HTTPS link, time-limited. */
  readonly url: string;
  /** Picture of the printed article; apparel partners check their print against it. */
  readonly preview: { readonly contentType: string; readonly url: string } | null;
}

export interface PrintOrderItem {
  /** Decimal string; postbacks and cancellations name the item by it. */
  readonly id: string;
  readonly quantity: number;
  readonly product: ResolvedProduct;
  readonly files: readonly PrintFile[];
}

/** Addresses on print orders name a person and an e-mail address. */
export type PrintOrderAddress = PostalAddress & {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
};

export interface PrintOrderInput {
  /** Decimal string. */
  readonly id: string;
  readonly kind: ProductKind;
  readonly version: PrintOrderVersion;
  readonly orderDate: Date;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  /** Packaging workflow, where the client has one. */
  readonly brandedPackaging: string | null;
  readonly partner: {
    readonly uid: string;
    readonly printHouseUid: string | null;
    readonly currency: string;
  };
  readonly items: readonly PrintOrderItem[];
  readonly shipmentMethodUid: string;
  readonly sender: PrintOrderAddress;
  readonly delivery: PrintOrderAddress;
  /** Value and tax declared for customs; zero of both where nothing is declared. */
  readonly customs: {
    readonly priceTotalMinor: number;
    readonly taxMinor: number;
    readonly currency: string;
  };
  /** Turns parts' prices into the partner's currency. */
  readonly rates: RateTable;
}

/** An item that cannot be told to a partner: orders are checked before, so this is a fault of the engine. */
export class PrintOrderError extends Error {
  override readonly name = 'PrintOrderError';
}

/**
 * The message that hands a print order to a partner, in the variant of its kind (interface "Partner-bound print
 * order"). Optional fields without a value are left out. Version 1.0 knows no branded packaging, and apparel has
 * none in either version.
 * @throws PrintOrderError for an item of another kind, or a file that no asset can carry
 */
export function buildPrintOrder(input: PrintOrderInput): PrintOrderBody {
  for (const { id, product } of input.items) {
    if (product.kind !== input.kind) {
      throw new PrintOrderError(
        `item ${id} is of kind ${product.kind}, print order ${input.id} of ${input.kind}`,
      );
    }
  }
  const head = {
    version: input.version,
    id: input.id,
    orderDate: input.orderDate.toISOString(),
    dispatchDate: input.dispatchDate,
  };
  const branded =
    input.version === '1.0' || input.brandedPackaging === null
      ? {}
      : { brandedPackaging: input.brandedPackaging };
  const shipping = shippingOf(input);
  switch (input.kind) {
    case 'print':
      return { ...head, ...branded, items: input.items.map(paperItem), shipping };
    case 'mounted':
      return {
        ...head,
        ...branded,
        printHouseUid: input.partner.printHouseUid ?? input.partner.uid,
        items: input.items.map((item) => bundle(item, input)),
        shipping,
      };
    case 'apparel':
      return { ...head, items: input.items.map(apparelItem), shipping };
  }
}

function paperItem({ id, quantity, product, files }: PrintOrderItem): OrderItemBody {
  return {
    id,
    count: quantity,
    type: 'print',
    product: { modelUid: product.modelUid, desc: product.name, attributes: attributesOf(product.attributes) },
    assets: paperAssets(files),
  };
}

/** A type only where the content is split; the block of a book (`default` beside a cover) is its `text`. */
function paperAssets(files: readonly PrintFile[]): AssetBody[] {
  if (files.length === 1) return [asset(files[0]!)];
  const besideCover = files.some(({ fileType }) => fileType === 'cover');
  return files.map((file) =>
    asset(file, file.fileType === 'default' ? (besideCover ? 'text' : 'front') : typeOf(file.fileType)),
  );
}

function bundle(
  { id, quantity, product, files }: PrintOrderItem,
  { partner, rates }: PrintOrderInput,
): BundleBody {
  if (product.parts.length === 0) throw new PrintOrderError(`item ${id}: ${product.productUid} has no parts`);
  const parts = product.parts.map((part): BundlePartBody => {
    const eur = part.unitPriceMinorEur;
    return {
      // All parts carry the item's id: whatever part a postback names, it speaks of the item.
      ...(part.type === 'service' ? {} : { id }),
      count: part.quantity * quantity,
      type: part.type === 'print' ? 'print' : 'stock',
      product: { modelUid: part.modelUid, desc: part.name, attributes: attributesOf(part.attributes) },
      unit_price: fromMinor(convertMinor(eur, 'EUR', partner.currency, rates), partner.currency),
      assets: part.type === 'print' ? paperAssets(files) : null,
    };
  });
  return { type: parts.length > 1 ? PRODUCT_BUNDLE : parts[0]!.type, parts };
}

function apparelItem({ id, quantity, product, files }: PrintOrderItem): OrderItemBody {
  const printed = new Map<ApparelAssetType, PrintFile>();
  for (const file of files) printed.set(apparelPlace(file, product), file);
  const blank = product.parts.find(
    (part): part is ResolvedPart & { partnerSku: string } => part.partnerSku !== null,
  );
  if (!blank) throw new PrintOrderError(`item ${id}: apparel ${product.productUid} has no blank garment`);
  return {
    id,
    count: quantity,
    type: 'print',
    product: {
      modelUid: product.modelUid,
      desc: product.name,
      attributes: [
        { name: 'sku', value: blank.partnerSku },
        { name: 'location', value: [...printed.keys()].sort(byPlace).join('+') },
      ],
    },
    assets: [...printed.entries()]
      .sort(([a], [b]) => byPlace(a, b))
      .flatMap(([place, file]): AssetBody[] => [
        asset(file, place),
        // Where no picture was made the print file itself shows what is wanted.
        asset({ ...file, ...(file.preview ?? {}) }, `${place}_preview`),
      ]),
  };
}

/** Places of a garment in the order partners know them: `front+back`. */
const APPAREL_PLACES: readonly ApparelAssetType[] = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'];
const byPlace = (a: ApparelAssetType, b: ApparelAssetType) =>
  APPAREL_PLACES.indexOf(a) - APPAREL_PLACES.indexOf(b);

/** `default` is the front, unless the garment is printed on one side and that is another. */
function apparelPlace(file: PrintFile, { printAreas }: ResolvedProduct): ApparelAssetType {
  const onlyArea = printAreas.length === 1 ? printAreas[0]?.fileType : undefined;
  const named = file.fileType === 'default' ? (onlyArea ?? 'default') : file.fileType;
  const place = named === 'default' ? 'front' : typeOf(named);
  if (place === undefined || place === 'text' || place === 'cover') {
    throw new PrintOrderError(`file type ${file.fileType} has no place on a garment`);
  }
  return place;
}

/** Workflow-builder files may have any name: those without a counterpart carry no type. */
function typeOf(fileType: string): PrintedAssetType | undefined {
  return Object.hasOwn(ASSET_TYPES, fileType) ? ASSET_TYPES[fileType as keyof typeof ASSET_TYPES] : undefined;
}

function asset({ contentType, url }: { contentType: string; url: string }, type?: AssetType): AssetBody {
  const format = FORMATS[contentType];
  if (format === undefined) throw new PrintOrderError(`no asset can carry ${contentType}`);
  return { format, contentType, url, ...(type === undefined ? {} : { type }) };
}

function attributesOf(attributes: readonly ResolvedAttribute[]): ProductAttributeBody[] {
  return attributes.map(({ name, value, properties }) => {
    const entries = Object.entries(properties).map(([property, text]) => ({ name: property, value: text }));
    return entries.length === 0 ? { name, value } : { name, value, properties: entries };
  });
}

function shippingOf({
  shipmentMethodUid,
  sender,
  delivery,
  customs,
}: PrintOrderInput): CommonBody['shipping'] {
  return {
    shipmentMethodUid,
    address: [address('sender', sender), address('delivery', delivery)],
    customs: {
      priceTotal: fromMinor(customs.priceTotalMinor, customs.currency),
      tax: fromMinor(customs.taxMinor, customs.currency),
      currencyCode: customs.currency,
    },
  };
}

function address(type: AddressBody['type'], from: PrintOrderAddress): AddressBody {
  const state = from.state?.trim();
  const optional = {
    companyName: from.company,
    addressLine2: from.addressLine2,
    addressLine3: from.addressLine3,
    // ISO 3166-2 codes have up to three characters behind the country's; longer words are a name.
    stateCode: state !== undefined && /^[A-Z0-9]{1,3}$/.test(state) ? state : undefined,
    administrativeAreaLevel1: state,
    phone: from.phone,
  };
  const given = Object.fromEntries(
    Object.entries(optional).filter(([, value]) => value !== undefined && value !== ''),
  );
  return {
    type,
    firstName: from.firstName,
    lastName: from.lastName,
    addressLine1: from.addressLine1,
    postalCode: from.postcode,
    city: from.city,
    countryCode: from.country,
    email: from.email,
    ...given,
  };
}
