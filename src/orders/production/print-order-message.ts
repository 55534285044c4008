import Decimal from 'decimal.js';
import type { PageBoxes } from '../../../packages/file-reader/facts';
import { withExtension } from '../../../packages/file-reader/file-types';
import type { ClientSettings } from '../../accounts/clients';
import type { ProductKind } from '../../catalog/domain/product';
import { pageSize } from '../../files/domain/page-checks';
import type { StoredPreview } from '../../files/ingest-file';
import { type PrintFile, PrintOrderError } from '../../partners/domain/assets';
import { buildPrintOrder, type PrintOrderAddress, withRevision } from '../../partners/domain/print-order';
import type { PackageBody } from '../../partners/message-schemas';
import type { Partner } from '../../partners/partner-rows';
import { isCrossBorder, vatCountry } from '../../platform/domain/territories';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Fragment, Queryable } from '../../platform/postgres';
import { type ItemFields, itemMembers } from '../domain/item-fields';
import type { PackedPackage, Packing } from '../domain/packing';
import { retailValue } from '../domain/retail-value';
import { rateIn } from '../domain/vat';
import { iossNumberOf, listsPackages, packForPartner, receiverOf, returnAddressOf } from '../planning/consignments';
import type { RunOrder } from '../planning/run-order';
import { fileReportTarget } from '../reading/order-documents';

/**
 * Thirty days. The message is built once, and a partner may print weeks later: when stock arrives, or when an operator
 * delivers it again.
 */
const LINK_SECONDS = 30 * 24 * 60 * 60;

export interface MessageSource {
  readonly id: string;
  readonly order: RunOrder;
  /** All of them, also cancelled and rerouted ones. */
  readonly jobs: readonly MessageJob[];
  readonly kind: ProductKind;
  readonly version: '1.0' | '1.1';
  readonly dispatchDate: string;
  readonly createdAt: Date;
  readonly shipmentMethodUid: string;
  readonly packing: Packing;
  readonly clientSettings: ClientSettings;
  /** Object keys of the client's packing slips, by index of the packaging instruction. */
  readonly packingSlips: Readonly<Record<string, string>> | null;
}

interface StoredFile {
  readonly type: string;
  readonly objectKey: string;
  readonly mimeType: string;
  readonly previews: readonly StoredPreview[];
  readonly pageCount: number | null;
  readonly metadata: PrintFile['metadata'];
  readonly id: string;
  /** True for a file that takes the place of another one when the partner accepts it. */
  readonly isReplacement: boolean;
  /** The boxes of the first page of a PDF. Null for an image, and when they could not be measured. */
  readonly firstBoxes: PageBoxes | null;
  /** Codes of its warnings and errors. */
  readonly findings: readonly string[];
}

const JOB_ITEM = ['itemReferenceId', 'product', 'retailPrice', 'customTrim'] as const;

export interface MessageJob extends Pick<ItemFields, (typeof JOB_ITEM)[number]> {
  readonly id: string;
  readonly status: string;
  readonly partIds: readonly string[];
  readonly itemId: string;
  readonly quantity: number;
  readonly cancelledQuantity: number;
  readonly orderedQuantity: number;
  /** Null for stock products. */
  readonly files: readonly StoredFile[] | null;
}

/** Returns the expression of the print jobs of the print order `p`, as an array of MessageJob. */
export const messageJobs = (sql: Queryable): Fragment => sql`
  (SELECT coalesce(jsonb_agg(jsonb_build_object(${itemMembers(sql, JOB_ITEM)}, 'id', j.id::text, 'status', j.status,
      'partIds', j.part_ids::text[], 'itemId', i.id::text, 'quantity', j.quantity, 'cancelledQuantity', j.cancelled_quantity, 'orderedQuantity', i.quantity,
      'files', (SELECT jsonb_agg(jsonb_build_object('type', f.type, 'objectKey', f.object_key, 'mimeType', f.mime_type,
          'previews', f.previews, 'pageCount', f.page_count, 'metadata', f.metadata, 'id', f.id, 'isReplacement', f.replacement IS NOT NULL,
          'firstBoxes', f.facts -> 'boxes' -> 0, 'findings', ARRAY(
            SELECT DISTINCT c ->> 'code' FROM jsonb_array_elements(f.checks) c WHERE c ->> 'severity' <> 'ok' ORDER BY 1)) ORDER BY f.position)
        FROM order_files f WHERE f.order_item_id = i.id AND (f.replacement = 'sending' OR f.replacement IS NULL AND NOT EXISTS (
          SELECT FROM order_files r WHERE r.order_item_id = i.id AND r.type = f.type AND r.replacement = 'sending')))) ORDER BY j.id), '[]')
    FROM print_jobs j JOIN order_items i ON i.id = j.order_item_id
    WHERE j.print_order_id = p.id AND j.id <> ALL(p.withdrawn_jobs))`;

/** Statuses of jobs that the partner is not to make. */
const LEFT_OUT = ['cancelled', 'superseded'];

/** What an order update has beside the print order. */
export interface UpdatedMessage {
  /** Counts from 2. */
  readonly revision: number;
  readonly wanted: Readonly<Record<string, number>>;
}

/**
 * Builds the message of a print order from the stored order. It leaves out cancelled and rerouted units.
 * @param update absent for the first delivery
 */
export function buildMessage(
  links: LinkSigner,
  source: MessageSource,
  partner: Partner,
  update?: UpdatedMessage,
): string {
  const { order } = source;
  const wanted = update?.wanted ?? storedUnits(source.jobs);
  const jobs = wantedJobs(source, wanted);
  if (jobs.length === 0) throw new PrintOrderError(`print order ${source.id} has no units left`);
  const packages = packForPartner(order, partner, jobs, source.packing);
  const branding = packages.map((pack) => brandedPackaging(order, pack, source.clientSettings));
  const body = buildPrintOrder({
    head: {
      version: source.version,
      id: source.id,
      orderDate: source.createdAt.toISOString(),
      dispatchDate: source.dispatchDate,
      brandedPackaging: new Set(branding).size === 1 ? (branding[0] ?? undefined) : undefined,
    },
    kind: source.kind,
    partner,
    items: jobs.map((job) => ({ ...job, files: (job.files ?? []).map((file) => printFile(links, file)) })),
    packages: listsPackages(order, packages)
      ? packages.map((pack, index) => packageBody(links, pack, jobs, source.packingSlips, branding[index]!))
      : null,
    shipmentMethodUid: source.shipmentMethodUid,
    sender: senderOf(source.clientSettings, order, partner),
    delivery: receiverOf(order.shippingAddress),
    customs: customsOf(source, partner, jobs),
    rates: order.rates,
  });
  return JSON.stringify(update === undefined ? body : withRevision(body, update.revision));
}

/** Returns the jobs of a print order that its partner is to make, with these units. */
export const wantedJobs = ({ jobs }: Pick<MessageSource, 'jobs'>, wanted: UpdatedMessage['wanted']): MessageJob[] =>
  jobs.flatMap((job) => {
    const quantity = wanted[job.id];
    return quantity === undefined ? [] : [{ ...job, quantity }];
  });

/** Returns the units that the partner is to make, by job id, as the rows have them. */
function storedUnits(jobs: MessageSource['jobs']): UpdatedMessage['wanted'] {
  const left = jobs.map(({ id, status, quantity, cancelledQuantity }): [string, number] => {
    return [id, LEFT_OUT.includes(status) ? 0 : quantity - cancelledQuantity];
  });
  return Object.fromEntries(left.filter(([, units]) => units > 0));
}

/** Returns the packaging workflow of a package: that of its packaging instruction, else of the client's settings. */
function brandedPackaging(
  { packagingInstructions }: RunOrder,
  { instructionIndex }: PackedPackage,
  settings: ClientSettings,
): string | null {
  const instruction = instructionIndex === null ? undefined : packagingInstructions[instructionIndex];
  return instruction?.brandedPackaging ?? settings.brandedPackaging ?? null;
}

function packageBody(
  links: LinkSigner,
  { packageReferenceId, instructionIndex, items }: PackedPackage,
  jobs: readonly MessageJob[],
  packingSlips: MessageSource['packingSlips'],
  branding: string | null,
): PackageBody {
  const objectKey = instructionIndex === null ? undefined : packingSlips?.[instructionIndex];
  return {
    packageReferenceId,
    items: items.map(({ itemReferenceId, quantity }) => ({
      orderItemId: jobs.find((job) => job.itemReferenceId === itemReferenceId)!.id,
      quantity,
    })),
    ...(objectKey === undefined
      ? {}
      : { packingSlipUrl: signedLink(links, objectKey, 'application/pdf', 'packing-slip') }),
    ...(branding === null ? {} : { brandedPackaging: branding }),
  };
}

/**
 * Returns the sender: the client's return address where one is set, else the partner's address. A return address has no
 * person, and its email address is optional; print orders require both.
 */
function senderOf(settings: ClientSettings, order: RunOrder, { senderAddress }: Partner): PrintOrderAddress {
  const returnAddress = returnAddressOf(settings, order.clientName);
  if (returnAddress === null) return senderAddress;
  return {
    ...returnAddress,
    firstName: returnAddress.company,
    lastName: 'Returns',
    email: returnAddress.email ?? senderAddress.email,
  };
}

/**
 * Returns the customs values: the retail value of the goods across a customs border, and their VAT at the rates of the
 * destination when it is paid through the IOSS. Both are 0 otherwise.
 */
function customsOf(
  { id, order }: Pick<MessageSource, 'id' | 'order'>,
  partner: Partner,
  jobs: readonly MessageJob[],
): { priceTotalMinor: number; taxMinor: number; currency: string } {
  const currency = order.retailCurrency ?? order.currency;
  if (!isCrossBorder(partner.senderAddress, order.shippingAddress))
    return { priceTotalMinor: 0, taxMinor: 0, currency };
  const isTaxed = isUnderIoss({ id, order }, partner, jobs);
  let priceTotalMinor = 0;
  let tax = new Decimal(0);
  for (const { retailPrice, quantity, orderedQuantity, product } of jobs) {
    const value = retailValue({ retailPrice, quantity: orderedQuantity }, quantity, currency) ?? 0;
    priceTotalMinor += value;
    if (isTaxed)
      tax = tax.plus(
        new Decimal(value).times(rateIn(order.taxRates, vatCountry(order.shippingAddress), product.taxCategory)),
      );
  }
  const taxMinor = tax.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
  return { priceTotalMinor, taxMinor, currency };
}

/** Returns true when the VAT on the goods of a print order is paid through the IOSS. @param jobs what its partner makes */
export function isUnderIoss(
  { id, order }: Pick<MessageSource, 'id' | 'order'>,
  { senderAddress: from }: Partner,
  jobs: readonly MessageJob[],
): boolean {
  const others = (order.made ?? []).filter(({ printOrderId }) => printOrderId !== id);
  // Units that the partner has cancelled wait for an operator, and count until these end.
  const own = jobs.map(({ id: jobId, itemId, quantity, cancelledQuantity }) => {
    return { printOrderId: id, jobId, itemId, quantity: quantity + cancelledQuantity, from };
  });
  return iossNumberOf(order, from, [...others, ...own]) !== null;
}

function printFile(links: LinkSigner, file: StoredFile): PrintFile {
  const preview = file.previews.find(({ type }) => type === 'preview_default');
  return {
    fileType: file.type,
    contentType: file.mimeType,
    url: signedLink(links, file.objectKey, file.mimeType, file.type),
    preview:
      preview === undefined
        ? null
        : {
            contentType: preview.mimeType,
            url: signedLink(links, preview.objectKey, preview.mimeType, `${file.type}-preview`),
          },
    pageCount: file.pageCount,
    metadata: file.metadata,
    report: reportOf(links, file),
  };
}

function reportOf(links: LinkSigner, { id, type, pageCount, firstBoxes, findings }: StoredFile): PrintFile['report'] {
  const size = firstBoxes === null ? null : pageSize(firstBoxes).size;
  const millimetres = (length: number | undefined) => (length === undefined ? null : Math.round(length * 10) / 10);
  return {
    url: links.sign(fileReportTarget(id, type), { seconds: LINK_SECONDS }),
    pageCount: pageCount ?? 1,
    widthMm: millimetres(size?.widthMm),
    heightMm: millimetres(size?.heightMm),
    findings: [...findings],
  };
}

function signedLink(links: LinkSigner, objectKey: string, contentType: string, name: string): string {
  return links.sign({ objectKey, contentType, fileName: withExtension(name, contentType) }, { seconds: LINK_SECONDS });
}
