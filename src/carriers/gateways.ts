import type { Config } from '../platform/config';
import type { SafeClient } from '../platform/http/safe-client';
import type { CarrierAdapter } from './carrier';
import { createEasyPostGateway } from './easypost';

/** The carrier gateways that the configuration switches on. */
export function carrierGateways(
  config: Pick<Config, 'EASYPOST_API_KEY' | 'EASYPOST_API_URL'>,
  client: SafeClient,
): CarrierAdapter[] {
  const { EASYPOST_API_KEY: apiKey, EASYPOST_API_URL: baseUrl } = config;
  return apiKey === undefined ? [] : [createEasyPostGateway({ apiKey, baseUrl, client })];
}
