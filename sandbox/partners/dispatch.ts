import { cutText } from '../../src/platform/domain/foreign-text';
import { formatOf } from './asset-check';
import type { PartnerCalls } from './calls';
import type { PartnerContext } from './partner-context';
import { allHeld, type PrintOrderRecord } from './partner-record';

/** How long a partner repeats a dispatch request that Pressline refuses with 409 before it abandons the print order. */
const DISPATCH_PATIENCE_MS = 10 * 60_000;

interface DispatchResponse {
  readonly documents: readonly {
    readonly type: string;
    readonly contentType: string;
    readonly url: string;
    readonly trackingCode: string;
  }[];
  readonly trackingCode?: string;
  readonly voidLabels?: readonly { readonly trackingCode: string }[];
}

/**
 * Requests dispatch until Pressline responds with documents, and downloads them.
 * @param damaged tracking codes of labels to replace
 * @returns the reason why there are no documents, or undefined
 */
export async function dispatch(
  { enter, outbound }: PartnerContext,
  calls: PartnerCalls,
  record: PrintOrderRecord,
  damaged: readonly string[] = [],
): Promise<string | undefined> {
  const patienceEnds = Date.now() + DISPATCH_PATIENCE_MS;
  const response = await calls.send(
    '/v2/order/dispatch',
    { orderId: record.id, ...(damaged.length === 0 ? {} : { replaceLabels: damaged }) },
    ({ status }) => status === 202 || (status === 409 && !allHeld(record) && Date.now() < patienceEnds),
  );
  if (response.status !== 200) return `dispatch got ${response.status} ${cutText(JSON.stringify(response.body), 300)}`;
  const { documents, trackingCode, voidLabels = [] } = response.body as DispatchResponse;
  const parcels = [...new Set(documents.flatMap(({ type, trackingCode }) => (type === 'label' ? [trackingCode] : [])))];
  const isVoid = (code: string) => voidLabels.some((label) => label.trackingCode === code);
  const invalid = parcels.find(isVoid);
  if (invalid !== undefined) return `the response has the label ${invalid}, which is void`;
  const valid = damaged.find((code) => !isVoid(code));
  if (valid !== undefined) return `the damaged label ${valid} is not void`;
  for (const { type, url } of documents) {
    const document = await outbound.download(url);
    if (document.status !== 200) return `the ${type} responded with ${document.status}`;
    if (formatOf(document.head) !== 'pdf') return `the ${type} is not a PDF`;
    enter({
      type: 'document',
      printOrderId: record.id,
      document: { type, sha256: document.sha256, bytes: document.bytes },
    });
  }
  enter({
    type: 'dispatched',
    printOrderId: record.id,
    ...(trackingCode === undefined ? {} : { trackingCode }),
    parcels,
  });
  return undefined;
}
