import type { Payload } from '@temporalio/common';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Config } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { dataConverterOf } from '../../src/platform/temporal/codec/data-converter';
import { UndecryptablePayload } from '../../src/platform/temporal/codec/encryption-codec';
import type { ApiDeps } from '../deps';
import { ERROR_BODIES } from '../http/error-body';
import { notesOf } from '../http/request-log';
import { type Route, route } from '../http/route';
import { sendJson } from '../http/serve';

/** What the Temporal UI and CLI put `/decode` and `/encode` after. */
export const CODEC_PATH = '/v1/operator/codec';

const TAG = 'Operator: payload codec';
const access = { credentials: 'key', roles: ['operator'] } as const;

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
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
    ),
    data: Buffer.from(data ?? '', 'base64'),
  }));
}

function toJson(payloads: readonly Payload[]): Exchanged {
  const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)]),
      ),
      data: text(data),
    })),
  };
}

/**
 * A codec server (Temporal's remote data encoding): the Temporal UI and CLI have what is encrypted under PAYLOAD_KEYS
 * made readable here. Without keys everything comes back as it was sent.
 */
export function codecRoutes({ config }: Pick<ApiDeps, 'config'>): Route[] {
  const [codec] = dataConverterOf(config.PAYLOAD_KEYS)?.payloadCodecs ?? [];
  return [
    route({
      method: 'get',
      path: CODEC_PATH,
      operationId: 'signInToCodec',
      summary: 'Let this browser decode what the Temporal UI shows',
      description:
        'Opened in a browser it asks for a name, which may be anything, and for a password, which is an operator’s key. ' +
        'The browser sends both with the UI’s requests from then on.',
      tag: TAG,
      access,
      errors: 'coded',
      response: z.object({ message: z.string(), encrypted: z.boolean() }),
      handler: async () => ({
        message: 'The Temporal UI can decode payloads here now.',
        encrypted: codec !== undefined,
      }),
    }),
    route({
      method: 'post',
      path: `${CODEC_PATH}/decode`,
      operationId: 'decodePayloads',
      summary: 'Decrypt payloads',
      description:
        '400 for a payload whose key is not configured. Payloads that are not encrypted are left alone.',
      tag: TAG,
      access,
      errors: 'coded',
      body: exchanged,
      response: exchanged,
      handler: async ({ body, account, log }) => {
        log.info({ by: account.name, payloads: body.payloads.length }, 'payloads decoded');
        if (codec === undefined) return body;
        try {
          return toJson(await codec.decode(fromJson(body)));
        } catch (error) {
          if (!(error instanceof UndecryptablePayload)) throw error;
          throw new Refusal('VALIDATION_ERROR', { message: `Cannot decode: ${error.message}.` });
        }
      },
    }),
    route({
      method: 'post',
      path: `${CODEC_PATH}/encode`,
      operationId: 'encodePayloads',
      summary: 'Encrypt payloads',
      description: 'For signals and starts sent from the Temporal UI or CLI.',
      tag: TAG,
      access,
      errors: 'coded',
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
 * Lets the Temporal UI's page, and no other, reach the codec from a browser; the UI can send no header of ours, so the
 * operator's key may come as the password of HTTP Basic authentication (RFC 7617), which browsers keep.
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
      sendJson(res, refusal.status, ERROR_BODIES.coded(refusal, { requestId, body: undefined, params: {} }));
      return;
    }
    next();
  };
}
