import type { Payload } from '@temporalio/common';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Config } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { dataConverterOf, UndecryptablePayload } from '../../src/platform/temporal/codec/data-converter';
import type { ApiDeps } from '../deps';
import { ERROR_BODIES } from '../http/error-body';
import { notesOf } from '../http/request-log';
import { forOperators, type Route, route } from '../http/route';

/** Base path of the codec server. The Temporal UI and CLI append `/decode` and `/encode`. */
export const CODEC_PATH = '/v1/operator/codec';

const TAG = 'Operator: payload codec';

const base64 = z.base64();
const payloads = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string().max(200), base64).optional(), data: base64.optional() }))
    .max(2_000),
});
const exchanged = payloads.meta({ id: 'CodecPayloads', description: 'Payloads in Temporal’s JSON form.' });
type Exchanged = z.output<typeof payloads>;

function fromJson({ payloads }: Exchanged): Payload[] {
  return payloads.map(({ metadata = {}, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data ?? '', 'base64'),
  }));
}

function toJson(payloads: readonly Payload[]): Exchanged {
  const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])),
      data: text(data),
    })),
  };
}

/**
 * Codec server (Temporal's remote data encoding). The Temporal UI and CLI use it to decrypt payloads that are encrypted with
 * PAYLOAD_KEYS. Without keys it returns payloads unchanged.
 */
export function codecRoutes({ sql, config }: Pick<ApiDeps, 'sql' | 'config'>): Route[] {
  const [codec] = dataConverterOf(config.PAYLOAD_KEYS).payloadCodecs ?? [];
  return [
    route(`GET ${CODEC_PATH}`, {
      ...forOperators(TAG, 'viewer'),
      operationId: 'signInToCodec',
      summary: 'Sign this browser in to the codec server',
      description:
        'Opened in a browser, it asks for a user name (any value) and for a password (an operator’s key). ' +
        'The browser then sends both with the requests of the Temporal UI.',
      response: z.object({ message: z.string(), encrypted: z.boolean() }),
      handler: async () => ({
        message: 'The Temporal UI can now decode payloads here.',
        encrypted: codec !== undefined,
      }),
    }),
    route(`POST ${CODEC_PATH}/decode`, {
      ...forOperators(TAG, 'operator'),
      operationId: 'decodePayloads',
      summary: 'Decrypt payloads',
      description:
        'Returns 400 for a payload whose key is not configured. Payloads that are not encrypted are returned unchanged.',
      body: exchanged,
      response: exchanged,
      audits: ['payloads.decode'],
      handler: async ({ body, account, log, audit }) => {
        const after = { payloads: body.payloads.length };
        await audit(sql, { action: 'payloads.decode', objectId: config.TEMPORAL_NAMESPACE, before: null, after });
        log.info({ by: account.name, ...after }, 'payloads decoded');
        if (codec === undefined) return body;
        try {
          return toJson(await codec.decode(fromJson(body)));
        } catch (error) {
          if (!(error instanceof UndecryptablePayload)) throw error;
          throw new Refusal('VALIDATION_ERROR', { message: `Cannot decode: ${error.message}.` });
        }
      },
    }),
    route(`POST ${CODEC_PATH}/encode`, {
      ...forOperators(TAG, 'operator'),
      operationId: 'encodePayloads',
      summary: 'Encrypt payloads',
      description: 'For signals and workflow starts sent from the Temporal UI or CLI.',
      body: exchanged,
      response: exchanged,
      handler: async ({ body }) => (codec === undefined ? body : toJson(await codec.encode(fromJson(body)))),
    }),
  ];
}

const ALLOWED = {
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'authorization, content-type, x-api-key, x-namespace',
  'Access-Control-Max-Age': '600',
};

/**
 * Allows the origin of the Temporal UI, and no other, to call the codec server from a browser. The UI cannot send
 * `X-API-KEY`, so the operator's key is also accepted as the password of HTTP Basic authentication (RFC 7617).
 */
export function codecAccess({ TEMPORAL_UI_URL }: Pick<Config, 'TEMPORAL_UI_URL'>): RequestHandler {
  const origin = TEMPORAL_UI_URL === undefined ? undefined : new URL(TEMPORAL_UI_URL).origin;
  return (req, res, next) => {
    res.vary('Origin');
    if (origin !== undefined && req.get('origin') === origin) {
      res.set({ ...ALLOWED, 'Access-Control-Allow-Origin': origin });
    }
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    const [, credentials] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(req.get('authorization') ?? '') ?? [];
    const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(credentials ?? '', 'base64').toString()) ?? [];
    if (password !== undefined) req.headers['x-api-key'] ??= password;
    if (req.method === 'GET' && req.get('x-api-key') === undefined) {
      const refusal = new Refusal('UNAUTHORIZED');
      const { requestId } = notesOf(res);
      res.setHeader('WWW-Authenticate', 'Basic realm="Pressline operator", charset="UTF-8"');
      const body = ERROR_BODIES.coded.of(refusal, { requestId, body: undefined, params: {} });
      res.status(refusal.status).json(body);
      return;
    }
    next();
  };
}
