import { z } from 'zod';

const timestamp = z.iso.datetime();
const connectorFields = {
  id: z.string(),
  name: z.string(),
  submitOrderUrl: z.url().describe('POST an order here.'),
  getOrderUrl: z.url().describe('GET an order at this address, a slash, and its id or reference.'),
  updateShipmentUrl: z
    .string()
    .describe('PUT a new method or address here, with the order’s id or reference for {order_id}.'),
  createdAt: timestamp,
};
const credentialFields = {
  keyId: z.string(),
  apiKey: z.string().describe('Shown this once.'),
  apiSecret: z.string().describe('Shown this once.'),
};

export const newConnector = z
  .object({ name: z.string().trim().min(1).max(100) })
  .meta({ id: 'NewConnector', examples: [{ name: 'poster-shop' }] });

export const connectorKey = z
  .object({
    id: z.string(),
    hint: z.string().describe('First and last characters of the key.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'ConnectorKey' });

export const connector = z
  .object({ ...connectorFields, keys: z.array(connectorKey) })
  .meta({ id: 'Connector' });

export const createdConnector = z
  .object({ ...connectorFields, ...credentialFields })
  .meta({ id: 'CreatedConnector' });

export const connectorPage = z.object({
  connectors: z.array(connector),
  nextCursor: z.string().nullable().describe('Give it as cursor for the next page; null on the last.'),
});

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(250).default(50),
  cursor: z.string().max(100).optional(),
});

export const connectorPath = z.object({ connectorId: z.string().max(100) });
export const keyPath = z.object({ connectorId: z.string().max(100), keyId: z.string().max(100) });

export const keyRotation = z
  .object({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(86_400)
      .describe('How long the present keys go on working: up to 30 days, a day by default.'),
  })
  .meta({ id: 'KeyRotation' });

export const rotatedKey = z
  .object({ ...credentialFields, createdAt: timestamp, previousKeysExpireAt: timestamp })
  .meta({ id: 'RotatedKey' });
