import type { Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { createApp } from '../../../../api/app';
import { exportedList, formatQuery, PAGES } from '../../../../api/http/exported-list';
import { operatorsOnly, type Route } from '../../../../api/http/route';
import { allRoutes } from '../../../../api/routes';
import { timestamp } from '../../../../src/platform/domain/fields';
import { Refusal } from '../../../../src/platform/errors';
import { type TestAccount, testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

/** Lists that are exported as CSV too. */

/** More rows than the largest page of each kind, and not a multiple of it. */
const ROWS = Array.from({ length: 2_300 }, (_, index) => ({
  id: String(index).padStart(5, '0'),
  name: index === 0 ? '=1+1' : `row ${index}`,
  tags: index === 1 ? ['a', 'b'] : [],
  note: null,
  actor: index === 1 ? { id: 'a', since: new Date(0) } : null,
  parts:
    index === 1
      ? [
          { uid: 'p', sizes: [1, 2] },
          { uid: 'q', sizes: [] },
        ]
      : [],
  prices: index === 1 ? { EUR: { from: 1, unit: 2 } } : {},
}));
const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  note: z.string().nullable(),
  actor: z.object({ id: z.string(), since: timestamp }).nullable(),
  parts: z.array(z.object({ uid: z.string(), sizes: z.array(z.int()) })),
  prices: z.record(z.string(), z.record(z.string(), z.int())),
});
const NAMES = 'id,name,tags,note,actorId,actorSince,partsUid,partsSizes,prices';
const number = (fallback: number) => z.coerce.number().int().default(fallback);

const common = {
  access: operatorsOnly('viewer'),
  tag: 'Test',
  summary: 'List rows',
  errors: 'coded',
} as const;
const csvOf = (pages: (typeof PAGES)[keyof typeof PAGES]) => ({ name: 'rows', rows: 'rows', pages }) as const;
const kept = (only: string | undefined) => ROWS.filter(({ name }) => only === undefined || name === only);

const SAMPLE_ROUTES: readonly Route[] = [
  exportedList('GET /by-cursor', {
    ...common,
    operationId: 'byCursor',
    refuses: ['NOT_FOUND'],
    csv: csvOf(PAGES.byCursor),
    query: z.object({
      limit: number(50).pipe(z.int().max(250)),
      cursor: z.string().optional(),
      only: z.string().optional(),
      format: formatQuery,
    }),
    response: z.object({ rows: z.array(rowSchema), nextCursor: z.string().nullable() }),
    handler: async ({ query: { limit, cursor, only } }) => {
      if (only === 'refused') throw new Refusal('NOT_FOUND');
      const left = kept(only).filter(({ id }) => cursor === undefined || id > cursor);
      const rows = left.slice(0, limit);
      return { rows, nextCursor: left.length > limit ? rows.at(-1)!.id : null };
    },
  }),
  exportedList('GET /by-offset', {
    ...common,
    operationId: 'byOffset',
    csv: csvOf(PAGES.byOffset),
    query: z.object({ limit: number(50), offset: number(0), format: formatQuery }),
    response: z.object({ rows: z.array(rowSchema) }),
    handler: async ({ query: { limit, offset } }) => ({ rows: ROWS.slice(offset, offset + limit) }),
  }),
  exportedList('GET /by-number', {
    ...common,
    operationId: 'byNumber',
    csv: csvOf(PAGES.byNumber),
    query: z.object({ perPage: number(50), pageNumber: number(1), format: formatQuery }),
    response: z.object({ rows: z.array(rowSchema) }),
    handler: async ({ query: { perPage, pageNumber } }) => ({
      rows: ROWS.slice((pageNumber - 1) * perPage, pageNumber * perPage),
    }),
  }),
  exportedList('GET /by-last-id', {
    ...common,
    operationId: 'byLastId',
    csv: csvOf(PAGES.byLastId),
    query: z.object({ limit: number(50), before: z.string().optional(), format: formatQuery }),
    response: z.object({ rows: z.array(rowSchema) }),
    handler: async ({ query: { limit, before } }) => ({
      rows: ROWS.filter(({ id }) => before === undefined || id > before).slice(0, limit),
    }),
  }),
  exportedList('GET /single', {
    ...common,
    operationId: 'single',
    csv: csvOf(PAGES.single),
    query: z.object({ format: formatQuery }),
    response: z.object({ rows: z.array(rowSchema) }),
    handler: async () => ({ rows: ROWS }),
  }),
];

let samples: Express;
let app: Express;
let routes: readonly Route[];
let viewer: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  samples = createApp(deps, SAMPLE_ROUTES);
  routes = allRoutes(deps);
  app = createApp(deps, routes);
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  admin = await testAccount(sql, 'operator', 'admin', 'admin');
});

const exported = async (path: string, query: object = {}, of = samples, by = viewer) =>
  await request(of)
    .get(path)
    .query({ ...query, format: 'csv' })
    .set(by.key);
const linesOf = (text: string) => text.trimEnd().split('\r\n');

test.each(SAMPLE_ROUTES.map(({ path }) => path))('%s exports every row of all pages, in order', async (path) => {
  const { status, headers, text } = await exported(path);
  expect({ status, type: headers['content-type'], as: headers['content-disposition'] }).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8',
    as: 'attachment; filename="rows.csv"',
  });
  const [header, ...lines] = linesOf(text);
  expect(header).toBe(NAMES);
  expect(lines.map((line) => line.split(',')[0])).toEqual(ROWS.map(({ id }) => id));
  // A spreadsheet would run the first name. No cell is JSON: values stand one after the other.
  expect(lines[0]).toBe(`00000,'=1+1,,,,,,,`);
  expect(lines[1]).toBe('00001,row 1,a; b,,a,1970-01-01T00:00:00.000Z,p; q,1; 2; ,EUR.from=1; EUR.unit=2');
});

test('filters apply to the export, a page and a limit do not', async () => {
  const { text } = await exported('/by-cursor', { only: 'row 7', limit: 1, cursor: '99999' });
  expect(linesOf(text)).toEqual([NAMES, '00007,row 7,,,,,,,']);
});

test('an empty list has a header, and a refusal its status', async () => {
  expect(linesOf((await exported('/by-cursor', { only: 'nothing' })).text)).toEqual([NAMES]);
  const { status, headers } = await exported('/by-cursor', { only: 'refused' });
  expect({ status, type: headers['content-type'] }).toMatchObject({ status: 404, type: /json/ });
});

// An error of a stream that nobody listens to would end the process.
test('HEAD of an export has its headers, and leaves no error behind', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.prependListener('uncaughtException', note);
  try {
    for (const { path } of SAMPLE_ROUTES) {
      const { status, headers } = await request(samples).head(path).query({ format: 'csv' }).set(viewer.key);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/csv; charset=utf-8' });
    }
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeListener('uncaughtException', note);
  }
  expect(uncaught).toEqual([]);
});

/** Lists for operators without an export, with the reason. */
const WITHOUT_EXPORT: Readonly<Record<string, string>> = {
  getOrderTimeline: 'A part of one order.',
  listAllChannelOrders: 'The orders of a file are returned with their errors.',
  listChannelFiles: 'A part of one channel.',
  listChannelMappings: 'A part of one channel.',
  listChannelOrders: 'The orders of a file are returned with their errors.',
  listChannels: 'A client has few.',
  listDeadMessages: 'The outbox list exports them with `state=dead`.',
  listOrderDeliveries: 'A part of one order.',
  listOrderNotes: 'A part of one order.',
  listStockItems: 'The list of all partners exports them with `partnerId`.',
};

test('every paged list for operators can be exported', () => {
  const paged = routes.filter(({ method, access, query }) => {
    const shape = query !== undefined && 'shape' in query ? (query.shape as object) : {};
    const isPaged = ['cursor', 'offset', 'pageNumber', 'before'].some((name) => name in shape);
    return method === 'get' && isPaged && 'roles' in access && access.roles.includes('operator');
  });
  expect(paged.length).toBeGreaterThan(10);
  const without = paged.filter(({ query }) => !('format' in (query as z.ZodObject).shape));
  expect(without.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(WITHOUT_EXPORT).sort());
});

/** Queries of lists that require one. */
const REQUIRED_QUERIES: Readonly<Record<string, Record<string, string>>> = {
  '/v1/receipts/sums': { month: '2026-01' },
  '/v1/operator/reports': { from: '2026-01-01', to: '2026-01-02' },
};

test('every list without parameters in its path is exported with a header', async () => {
  const lists = routes.filter(
    ({ method, path, query, access }) =>
      method === 'get' &&
      !path.includes('{') &&
      query !== undefined &&
      'shape' in query &&
      'format' in (query.shape as object) &&
      'operatorRole' in access &&
      access.operatorRole === 'viewer',
  );
  for (const { path } of lists) {
    const { status, headers, text } = await exported(path, REQUIRED_QUERIES[path] ?? {}, app, admin);
    expect({ path, status, type: headers['content-type'] }).toEqual({
      path,
      status: 200,
      type: 'text/csv; charset=utf-8',
    });
    expect(linesOf(text)[0]).toMatch(/^\w+(,\w+)+$/);
  }
});
