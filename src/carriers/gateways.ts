import type { Config } from '../platform/config';
import type { SafeClient } from '../platform/http/safe-client';
import type { CarrierAdapter } from './carrier';
import { createEasyPostGateway } from './easypost/gateway';

/** Returns the carrier gateways that the configuration enables. */
export function carrierGateways(
  config: Pick<Config, 'EASYPOST_API_KEY' | 'EASYPOST_API_URL'>,
  client: SafeClient,
): CarrierAdapter[] {
  const { EASYPOST_API_KEY: apiKey, EASYPOST_API_URL: baseUrl } = config;
  return apiKey === undefined ? [] : [createEasyPostGateway({ apiKey, baseUrl, client })];
}
