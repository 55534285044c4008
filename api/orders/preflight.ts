import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import type { FileOfProduct } from '../../src/orders/domain/file-needs';
import {
  beginPreflight,
  MAX_RUNNING_PREFLIGHTS,
  preflightRequestSchema,
  preflightSchema,
  preflightView,
  readPreflight,
  type StoredPreflight,
} from '../../src/orders/production/preflights';
import { Refusal } from '../../src/platform/errors';
import { foundById, uuidv7 } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { RawResponse, type Route, route } from '../http/route';
import { fileTypeErrors, resolvedProducts } from './order-products';
import { changedOrderId, READERS, viewerOf } from './visible-order';

/** What is checked: where the file is, and what decides on its needs. */
interface Subject {
  readonly url: string;
  readonly subject: FileOfProduct;
  readonly orderFileId: string | null;
}

type Body = z.output<typeof preflightRequestSchema>;

/** Returns the file of an order. @throws Refusal `NOT_FOUND` */
async function ofOrder(sql: Sql, account: Account, body: Body): Promise<Subject> {
  const { orderId, itemReferenceId, type } = body;
  const id = await changedOrderId(sql, account, orderId!);
  const [file] = await sql<
    {
      id: string;
      url: string;
      product: FileOfProduct['product'];
      customTrim: FileOfProduct['customTrim'];
      otherTypes: string[];
    }[]
  >`
    SELECT f.id, f.url, i.product, i.custom_trim,
      ARRAY(SELECT o.type FROM order_files o WHERE o.order_item_id = i.id AND o.id <> f.id AND o.replacement IS NULL) AS other_types
    FROM order_items i JOIN orders o ON o.id = i.order_id JOIN order_files f ON f.order_item_id = i.id
    WHERE i.order_id = ${id} AND o.erased_at IS NULL AND i.item_reference_id = ${itemReferenceId!} AND f.type = ${type} AND f.replacement IS NULL`;
  if (file === undefined)
    throw new Refusal('NOT_FOUND', { message: `The order has no file ${type} of an item ${itemReferenceId}.` });
  const { url, product, customTrim, otherTypes } = file;
  const subject = subjectOf(type, product, customTrim, otherTypes);
  return body.url === undefined
    ? { url, subject, orderFileId: file.id }
    : { url: body.url, subject, orderFileId: null };
}

/** Returns the file at a URL. @throws Refusal `VALIDATION_ERROR` for a product or a type that does not exist */
async function ofUrl(sql: Sql, { id: clientId }: Account, body: Body): Promise<Subject> {
  const { url, type, customTrim } = body;
  const item = { ...body, files: [{ type }] };
  const [product] = await resolvedProducts(sql, { clientId }, [item], fileTypeErrors).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.errors === undefined) throw error;
    const errors = error.errors.map((each) => ({
      ...each,
      reference: each.reference.replace('items[0].', '').replace('files[0].', ''),
    }));
    throw new Refusal(error.code, { errors });
  });
  return { url: url!, subject: subjectOf(type, product!, customTrim ?? null, []), orderFileId: null };
}

function subjectOf(
  type: string,
  { kind, name, pageRule, printAreas, workflowEnabled }: FileOfProduct['product'],
  customTrim: FileOfProduct['customTrim'],
  otherTypes: readonly string[],
): FileOfProduct {
  return { type, otherTypes, product: { kind, name, pageRule, printAreas, workflowEnabled }, customTrim };
}

/** Time that a request waits for the report. */
const WAIT_MS = 10_000;
const POLL_MS = { first: 50, longest: 500 };

/** Waits for the end of a preflight. @returns it as it is after the time, or at the end */
async function ended(sql: Sql, id: string, signal: AbortSignal): Promise<StoredPreflight> {
  const until = Date.now() + WAIT_MS;
  for (let pause = POLL_MS.first; ; pause = Math.min(pause * 1.5, POLL_MS.longest)) {
    const found = (await readPreflight(sql, id, null))!;
    if (found.report !== null || Date.now() + pause > until || signal.aborted) return found;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the refusal of a preflight of an account with too many under way. */
export function tooManyPreflights(): Refusal {
  const message = `${MAX_RUNNING_PREFLIGHTS} files of the account are being checked.`;
  return new Refusal('RATE_LIMITED', { message, retryAfter: 5 });
}

export function preflightRoutes({ sql, wake }: ApiDeps): Route[] {
  return [
    route('POST /v1/files/preflight', {
      operationId: 'preflightFile',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'NOT_FOUND', 'QUOTA_EXCEEDED'],
      otherStatuses: { 202: 'The file is still being checked. `Location` is the address of the report.' },
      summary: 'Check a print file before it is ordered',
      description:
        'Fetches a file, and checks it as the file of a product, or of an order or draft. Returns the report; after ten ' +
        'seconds 202 with the address of the report in `Location`. The file is not kept, and the report for a day. 429: ' +
        `the quota \`fileBytes\` is used up, or ${MAX_RUNNING_PREFLIGHTS} files are being checked.`,
      tag: 'Orders',
      access: { ...READERS.access, operatorRole: 'operator' },
      idempotent: true,
      body: preflightRequestSchema,
      response: preflightSchema,
      handler: async ({ account, body, quotas, idempotency, signal }) => {
        const wanted = await (body.orderId === undefined ? ofUrl(sql, account, body) : ofOrder(sql, account, body));
        const id = uuidv7();
        const begin = async () => {
          const begun = await beginPreflight(sql, { id, accountId: account.id, ...wanted });
          if (!begun) throw tooManyPreflights();
        };
        await (account.role === 'client' ? quotas.using(account.id, ['fileBytes'], begin) : begin());
        wake('start_workflow');
        const preflight = preflightView(await ended(sql, id, signal));
        if (preflight.state === 'done') return preflight;
        await idempotency.complete(sql, preflight);
        const headers = { 'Content-Type': 'application/json', Location: `/v1/files/preflight/${id}` };
        return new RawResponse(202, headers, JSON.stringify(preflight));
      },
    }),
    route('GET /v1/files/preflight/{preflightId}', {
      operationId: 'getPreflight',
      summary: 'Read the report of a preflight',
      ...READERS,
      params: z.object({ preflightId: z.string().min(1).max(100) }),
      response: preflightSchema,
      handler: async ({ account, params: { preflightId: id } }) => {
        const read = () => readPreflight(sql, id, viewerOf(account).clientId);
        return preflightView(await foundById(id, read, 'There is no preflight with this id.'));
      },
    }),
  ];
}
