import { Readable } from 'node:stream';
import { z } from 'zod';
import { openRoute, RawResponse, type Route, route } from '../../../api/http/route';
import { Refusal } from '../../../src/platform/errors';
import { uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';

const parcel = z.object({
  parcelOwner: z.string().trim().min(1),
  size: z.enum(['small', 'large']),
  items: z.array(z.object({ hsCode: z.string(), quantity: z.int().min(1) })).min(1),
  notes: z.record(z.string(), z.string()).optional(),
});

/** Sample routes, each of which shows one feature of the framework. The test creates the table `parcels`. */
export function sampleRoutes(
  sql: Sql,
  hooks: { beforeStore?: () => Promise<void>; file?: () => Promise<Readable> } = {},
): Route[] {
  const keyed = {
    credentials: 'key',
    roles: ['client', 'partner', 'operator'],
    operatorRole: 'viewer',
  } as const;
  const store = async (tx: Sql, owner: string) => {
    const id = uuidv7();
    await tx`INSERT INTO parcels (id, owner) VALUES (${id}, ${owner})`;
    return id;
  };
  return [
    route('POST /v1/parcels', {
      operationId: 'createParcel',
      refuses: ['CONFLICT'],
      summary: 'Create',
      tag: 'Samples',
      access: { credentials: 'key:secret', roles: ['client', 'operator'], operatorRole: 'operator' },
      errors: 'coded',
      idempotent: true,
      query: z.object({ depth: z.coerce.number().int().optional() }),
      body: parcel,
      response: z.object({ id: z.string(), owner: z.string() }),
      handler: async ({ body, idempotency }) => {
        await hooks.beforeStore?.();
        if (body.parcelOwner === 'refused') throw new Refusal('CONFLICT');
        if (body.parcelOwner === 'broken') throw new Error('secret detail of parcels');
        return await sql.begin(async (tx) => {
          const response = { id: await store(tx as unknown as Sql, body.parcelOwner), owner: body.parcelOwner };
          await idempotency.complete(tx as unknown as Sql, response);
          return response;
        });
      },
    }),
    route('GET /v1/parcels/{parcelId}', {
      operationId: 'getParcel',
      summary: 'Read',
      tag: 'Samples',
      access: keyed,
      errors: 'coded',
      params: z.object({ parcelId: z.string().max(40) }),
      response: z.object({ id: z.string() }),
      handler: async ({ params }) => {
        if (params.parcelId === 'none') throw new Refusal('NOT_FOUND');
        if (params.parcelId === 'undocumented') return { id: 'x', secret: 1 } as { id: string };
        if (params.parcelId === 'postgres-unavailable') {
          throw Object.assign(new Error('connect'), { code: 'CONNECT_TIMEOUT' });
        }
        if (params.parcelId === 'temporal-unavailable') {
          throw Object.assign(new Error('service'), {
            cause: Object.assign(new Error('grpc'), { code: 14 }),
          });
        }
        return { id: params.parcelId };
      },
    }),
    route('GET /v1/parcels/newest', {
      operationId: 'getNewestParcel',
      summary: 'Newest',
      tag: 'Samples',
      access: keyed,
      errors: 'coded',
      response: z.object({ id: z.literal('newest') }),
      handler: async () => ({ id: 'newest' as const }),
    }),
    route('POST /v2/parcel/status', {
      operationId: 'postParcelStatus',
      summary: 'Plain errors',
      tag: 'Samples',
      access: { credentials: 'key', roles: ['partner'] },
      errors: 'plain',
      body: z.object({ orderId: z.string(), status: z.enum(['received', 'shipped']) }),
      response: z.object({ message: z.string() }),
      handler: async () => ({ message: 'ok' }),
    }),
    openRoute('GET /parcel-files/{token}', {
      operationId: 'getParcelFile',
      summary: 'A file',
      tag: 'Samples',
      errors: 'coded',
      params: z.object({ token: z.string() }),
      response: z.any(),
      handler: async () => {
        const body = (await hooks.file?.()) ?? Readable.from(['part ', 'two']);
        return new RawResponse(200, { 'Content-Type': 'text/plain' }, body);
      },
    }),
  ];
}

export const goodParcel = { parcelOwner: 'ann', size: 'small', items: [{ hsCode: '4911', quantity: 1 }] };
