import { z } from 'zod';
import type { Config } from '../../platform/config';
import type { SafeClient } from '../../platform/http/safe-client';
import { json, type Sql } from '../../platform/postgres';
import { VAT_CHECKED, vatNumberState } from '../domain/vat';
import type { RunOrder } from './run-order';

export interface VatCheckDeps {
  readonly sql: Sql;
  readonly client: SafeClient;
  readonly config: Pick<Config, 'VIES_URL'>;
}

const TIMEOUT_MS = 5_000;
const answer = z.object({ valid: z.boolean() });

/**
 * Asks VIES once whether the VAT number of a business is registered, and stores the answer in the order's log. Without an
 * answer the order goes on unchecked.
 * @see https://ec.europa.eu/taxation_customs/vies/
 */
export async function withVatCheck({ sql, client, config }: VatCheckDeps, order: RunOrder): Promise<RunOrder> {
  const { isBusiness, federalTaxId: number } = order.shippingAddress;
  if (config.VIES_URL === undefined || isBusiness !== true || order.vatCheck?.number === number) return order;
  if (number === undefined || vatNumberState(number) === null) return order;
  const compact = number.toUpperCase().replace(/[^A-Z\d+*]/g, '');
  const response = await client.exchange({
    url: `${config.VIES_URL}/check-vat-number`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ countryCode: compact.slice(0, 2), vatNumber: compact.slice(2) }),
    timeoutMs: TIMEOUT_MS,
    limitBytes: 20_000,
  });
  if (!response.ok || response.status !== 200) return order;
  const parsed = answer.safeParse(parsedJson(response.text));
  if (!parsed.success) return order;
  const vatCheck = { number, valid: parsed.data.valid };
  await sql`INSERT INTO order_events (order_id, type, data) VALUES (${order.id}, ${VAT_CHECKED}, ${json(sql, vatCheck)})`;
  return { ...order, vatCheck };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
