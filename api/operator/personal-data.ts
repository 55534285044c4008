import { z } from 'zod';
import { eraseUnsubmitted, unsubmittedTo } from '../../src/channels/unsubmitted';
import { emailAddress } from '../../src/platform/domain/email';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { foundById, uuidv7 } from '../../src/platform/ids';
import { inTransaction } from '../../src/platform/postgres';
import { eraseSubjects } from '../../src/privacy/erase';
import {
  allSubjectsByEmail,
  ERASURE_BATCH,
  erasureProgress,
  NAMED_WAITING,
  storeErasure,
} from '../../src/privacy/erasures';
import {
  exportSubject,
  formsOf,
  isErasable,
  type Subject,
  subjectsByEmail,
  subjectsById,
} from '../../src/privacy/subjects';
import type { ApiDeps } from '../deps';
import { idCursorField, pageById } from '../http/list-query';
import { forOperators, type Route, route } from '../http/route';

const TAG = 'Operator: personal data';

/** Orders of one page of an export. One order has about 20 kB, and takes 50 ms of CPU time: every table is read for it. */
const EXPORT_PAGE = 20;

const erasureSchema = z
  .object({
    orderId: z.string().min(1).max(100).optional().describe('Id of an order or a shipping order.'),
    email: emailAddress.optional().describe('Covers every order and shipping order to this address, of every client.'),
  })
  .superRefine(({ orderId, email }, context) => {
    if ((orderId === undefined) === (email === undefined)) {
      context.addIssue({ code: 'custom', path: ['orderId'], message: 'Give either orderId or email.' });
    }
  })
  .meta({ id: 'ErasureRequest', examples: [{ email: 'ada@example.com' }] });

const erasure = z
  .object({
    id: z.string(),
    requestedAt: timestamp,
    completedAt: timestamp.nullable().describe('When the last order was erased. Null while one waits.'),
    erased: z.int().describe('Orders and shipping orders that are erased.'),
    waiting: z.int().describe('Orders and shipping orders that are not erased yet.'),
    waitingFor: z
      .array(
        z.object({
          kind: z.enum(['order', 'shipping_order']),
          id: z.string(),
          waitsFor: z
            .enum(['end_of_order', 'parcels_under_way', 'job'])
            .describe('`job`: the order has ended. The periodic job erases it when its workflow has completed.'),
        }),
      )
      .describe(`The first ${NAMED_WAITING} of them, and what each waits for.`),
  })
  .meta({ id: 'Erasure' });

export function personalDataRoutes(deps: Pick<ApiDeps, 'sql' | 'objects' | 'temporal' | 'links' | 'log'>): Route[] {
  const { sql } = deps;

  /** @throws Refusal `NOT_FOUND`, `CONFLICT` for a running order */
  async function endedSubject(orderId: string): Promise<Subject> {
    const subject = await foundById(orderId, async () => (await subjectsById(sql, [orderId]))[0]);
    if (!isErasable(subject)) throw stillRunning();
    return subject;
  }

  return [
    route('POST /v1/operator/erasures', {
      ...forOperators(TAG, 'admin'),
      operationId: 'erasePersonalData',
      refuses: ['CONFLICT', 'NOT_FOUND'],
      summary: 'Erase the personal data of a recipient',
      description:
        'Replaces names, addresses, e-mail addresses, phone numbers, tax ids and free text of an order in every table, and ' +
        'deletes its files, documents and workflow history. Figures and the country stay; drafts are deleted. By `orderId`: ' +
        '409 while the order is running. By `email`: running orders are erased within 15 minutes of their end, and `waitingFor` ' +
        'names them. This cannot be undone. Repeating the request is harmless.',
      // Not idempotent: the fingerprint of a request with an e-mail address would be a hash that can be guessed.
      audits: ['personal_data.erase'],
      body: erasureSchema,
      response: erasure,
      handler: async ({ body, account, log, audit, intend }) => {
        const subjects =
          body.orderId === undefined ? await allSubjectsByEmail(sql, body.email!) : [await endedSubject(body.orderId)];
        const store = (erased: readonly Subject[]) =>
          inTransaction(sql, async (tx) => {
            const id = await storeErasure(tx, account.id, subjects, erased);
            const by = body.email === undefined ? 'order' : 'email';
            const after = { by, subjects: subjects.map((subject) => subject.id) };
            await audit(tx, { action: 'personal_data.erase', objectId: id, before: null, after });
            return id;
          });
        let id: string;
        if (body.orderId !== undefined) {
          await intend({ action: 'personal_data.erase', objectId: body.orderId });
          const erased = await eraseSubjects(deps, subjects);
          // The rows show the end of the order, and its workflow is still completing.
          if (erased.length === 0) throw stillRunning();
          id = await store(erased);
        } else {
          id = await store([]);
          await eraseSubjects(deps, subjects.slice(0, ERASURE_BATCH));
          await eraseUnsubmitted(deps, { emails: formsOf(body.email!) });
        }
        const response = (await erasureProgress(sql, id))!;
        log.info({ erasureId: id, erased: response.erased, waiting: response.waiting }, 'personal data erased');
        return response;
      },
    }),
    route('GET /v1/operator/erasures/{erasureId}', {
      ...forOperators(TAG, 'viewer'),
      operationId: 'getErasure',
      summary: 'Read the progress of an erasure',
      params: z.object({ erasureId: z.string().max(100) }),
      response: erasure,
      handler: ({ params: { erasureId } }) =>
        foundById(erasureId, () => erasureProgress(sql, erasureId), 'There is no such erasure.'),
    }),
    route('POST /v1/operator/exports', {
      ...forOperators(TAG, 'admin'),
      operationId: 'exportPersonalData',
      summary: 'Export everything that is stored about a recipient',
      description:
        'Returns the stored rows of every order and shipping order to this address, of every client, with links to their ' +
        'files and documents that are valid for seven days.',
      body: z
        .object({ email: emailAddress, cursor: idCursorField.optional() })
        .meta({ id: 'ExportRequest', examples: [{ email: 'ada@example.com' }] }),
      response: z
        .object({
          email: z.string(),
          exportedAt: timestamp,
          orders: z.array(
            z.object({
              kind: z.enum(['order', 'shipping_order']),
              id: z.string(),
              records: z.record(z.string(), z.array(z.looseObject({}))).describe('Stored rows by table.'),
              documents: z.array(z.object({ type: z.string(), fileName: z.string(), url: z.url() })),
            }),
          ),
          channelOrders: z
            .array(z.looseObject({}))
            .describe('Stored rows of orders of channels that were not submitted, on the first page.'),
          nextCursor: z.string().nullable().describe(`Set when there are more than ${EXPORT_PAGE} orders.`),
        })
        .meta({ id: 'PersonalDataExport' }),
      audits: ['personal_data.export'],
      handler: async ({ body: { email, cursor }, log, audit }) => {
        const { page, nextCursor } = await pageById({ limit: EXPORT_PAGE, cursor }, (wanted) =>
          subjectsByEmail(sql, email, wanted),
        );
        const orders = [];
        for (const subject of page) orders.push(await exportSubject(deps, subject));
        // Without the e-mail address, because audit rows cannot be erased.
        const after = { orders: page.map(({ id }) => id) };
        await audit(sql, { action: 'personal_data.export', objectId: uuidv7(), before: null, after });
        log.info({ orders: orders.length }, 'personal data exported');
        const channelOrders = cursor === undefined ? await unsubmittedTo(sql, formsOf(email)) : [];
        return { email, exportedAt: new Date(), orders, channelOrders, nextCursor };
      },
    }),
  ];
}

const stillRunning = () =>
  new Refusal('CONFLICT', {
    message: 'The order is running and needs its address. Cancel it, or erase it after its end.',
  });
