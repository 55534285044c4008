import type { Config } from '../platform/config';
import { ratesAt } from '../platform/exchange-rates';
import type { SafeClient } from '../platform/http/safe-client';
import type { Sql } from '../platform/postgres';
import type { CarrierAdapter } from './carrier';
import { createEasyPostGateway } from './easypost/gateway';

/** Returns the carrier gateways that the configuration enables. */
export function carrierGateways(
  config: Pick<Config, 'EASYPOST_API_KEY' | 'EASYPOST_API_URL'>,
  client: SafeClient,
  sql: Sql,
): CarrierAdapter[] {
  const { EASYPOST_API_KEY: apiKey, EASYPOST_API_URL: baseUrl } = config;
  if (apiKey === undefined) return [];
  return [createEasyPostGateway({ apiKey, baseUrl, client, rates: () => ratesAt(sql, new Date()) })];
}
