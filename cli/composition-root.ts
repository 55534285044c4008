import { rm } from 'node:fs/promises';
import type { ApiDeps } from '../api/deps';
import { createChannelIntake } from '../api/orders/channel-intake';
import { createFileInspector } from '../packages/file-reader/inspector';
import { KeyUses } from '../src/accounts/key-uses';
import type { CarrierAdapter } from '../src/carriers/carrier';
import { carriersOf, createCarriers, measuredCarrier } from '../src/carriers/carriers';
import { carrierGateways } from '../src/carriers/easypost/gateway';
import type { OrderIntake } from '../src/channels/submission';
import { openWorkFolder } from '../src/files/ingest-file';
import { ClientQuotas } from '../src/orders/intake/client-quotas';
import { createRunGateway } from '../src/orders/run/gateway';
import { runSettingsOf } from '../src/orders/run/settings';
import { createCandidateReader } from '../src/partners/routing-rows';
import { allowsPrivateAddresses, type Config } from '../src/platform/config';
import { PERIODIC_JOBS } from '../src/platform/domain/periodic-jobs';
import { createHealth } from '../src/platform/health';
import { createOutboundObserver } from '../src/platform/http/outbound-observer';
import { createSafeClient, type SafeClient } from '../src/platform/http/safe-client';
import type { Logger } from '../src/platform/logging/logging';
import { createMetrics } from '../src/platform/metrics/metrics';
import { createObjectStore, measuredStore } from '../src/platform/objects/create-object-store';
import { createLinkSigner } from '../src/platform/objects/signed-links';
import { wakeRelays } from '../src/platform/outbox/outbox';
import { connectPostgres } from '../src/platform/postgres';
import { createSecretBox } from '../src/platform/sealing/secret-box';
import { connectStandby, type Standby } from '../src/platform/standby';
import { warnOfPlainText } from '../src/platform/start-steps';
import { connectTemporal, temporalConnectionOptions } from '../src/platform/temporal/connection';
import { createSlotShares } from '../src/platform/temporal/slot-shares';
import { startTracing } from '../src/platform/tracing/tracing';
import type { Secrets } from './secrets';

/** Dependencies of the API and of the worker. Each process has one set. */
export interface Services extends ApiDeps {
  readonly secrets: Secrets;
  /** Submits the orders of channels. */
  readonly channelIntake: OrderIntake;
  /** The server that lists and searches read. Undefined: the primary. */
  readonly standby: Standby | undefined;
  /** Closes every connection. Stop the API and the worker first. */
  close(): Promise<void>;
}

type Connections = Omit<
  ApiDeps,
  | 'carriers'
  | 'routingWeights'
  | 'partnerCalls'
  | 'quotas'
  | 'keyUses'
  | 'runs'
  | 'candidates'
  | 'wake'
  | 'runSettings'
  | 'health'
  | 'jobs'
>;

/**
 * Builds the dependencies of the routes. Every process and every test uses this function, so that a quote, a plan and a
 * purchase see the same carriers.
 */
export function compose(connections: Connections): ApiDeps {
  const { config, metrics, sql, temporal, publicUrl, client, sandboxUrl } = connections;
  const gateways = carrierGateways(config, client, sql);
  const { adapters } = createCarriers(sql, publicUrl, gateways);
  const simulated = (adapter: CarrierAdapter) =>
    sandboxUrl === undefined || gateways.includes(adapter) ? adapter : sandboxCarrier(adapter, sandboxUrl, client);
  return {
    ...connections,
    carriers: carriersOf(
      adapters.map((adapter) => measuredCarrier(simulated(adapter), metrics, gateways.includes(adapter))),
    ),
    routingWeights: {
      day: config.ROUTING_DAY_COST,
      parcel: config.ROUTING_PARCEL_COST,
      border: config.ROUTING_BORDER_COST,
    },
    partnerCalls: createSlotShares(Number.POSITIVE_INFINITY, { mostPerKey: config.PARTNER_CALLS }),
    quotas: new ClientQuotas(sql, config.CLIENT_QUOTAS),
    keyUses: new KeyUses(sql, connections.log),
    runs: createRunGateway(temporal, sql),
    candidates: createCandidateReader(sql),
    wake: (kind) => wakeRelays(sql, kind),
    runSettings: runSettingsOf(config),
    health: createHealth({ sql, temporal, objects: connections.objects }),
    jobs: PERIODIC_JOBS,
  };
}

/**
 * Connects to every server and builds the services of a process.
 * @param config with DATABASE_URL and TEMPORAL_ADDRESS set
 * @param publicUrl public base URL of the API, without a trailing slash
 * @param sandboxUrl address of the sandbox that runs with the API
 */
export async function createServices(
  config: Config,
  secrets: Secrets,
  publicUrl: string,
  log: Logger,
  sandboxUrl?: string,
): Promise<Services> {
  // First: connections are traced from when they are made.
  const tracing = startTracing(config, log);
  warnOfPlainText({ databaseUrl: config.DATABASE_URL!, temporal: temporalConnectionOptions(config) }, log);
  const sql = connectPostgres(config.DATABASE_URL!, { max: config.DATABASE_POOL_SIZE });
  const temporal = connectTemporal(config);
  const metrics = createMetrics((error) => log.warn({ err: error }, 'some metrics could not be read'));
  const client = createSafeClient({
    allowPrivate: allowsPrivateAddresses(config),
    observe: createOutboundObserver(metrics),
  });
  const workFolder = await openWorkFolder();
  const inspector = createFileInspector({ folder: workFolder });
  const connections: Connections = {
    // The carrier webhook reads its secrets from the configuration, whether they were set or generated at the first start.
    config: { ...config, CARRIER_WEBHOOK_SECRETS: secrets.carrierWebhookSecrets },
    log,
    metrics,
    publicUrl,
    sandboxUrl,
    sql,
    temporal,
    objects: measuredStore(await createObjectStore(config), metrics),
    links: createLinkSigner({ keys: secrets.linkKeys, publicUrl }),
    secretBox: createSecretBox(secrets.secretKeys),
    client,
    inspector,
    workFolder,
  };
  const standby =
    config.DATABASE_READ_URL === undefined
      ? undefined
      : connectStandby(sql, config.DATABASE_READ_URL, config.DATABASE_POOL_SIZE, metrics);
  const deps = compose(connections);
  return {
    ...deps,
    channelIntake: createChannelIntake(deps),
    secrets,
    standby,
    async close() {
      await deps.keyUses.flush();
      await Promise.all([inspector.close(), client.close(), temporal.connection.close()]);
      await Promise.all([sql.end({ timeout: 5 }), standby?.sql.end({ timeout: 5 })]);
      await rm(workFolder, { recursive: true, force: true });
      await tracing?.stop();
    },
  };
}

const TIMEOUT_MS = 5_000;
const LIMIT_BYTES = 4_096;

/** Returns a carrier that sells no labels while the sandbox, if it responds, says so (docs/sandbox.md). */
function sandboxCarrier(adapter: CarrierAdapter, sandboxUrl: string, client: SafeClient): CarrierAdapter {
  const url = `${sandboxUrl}/control/carriers/${adapter.uid}/labels`;
  return {
    ...adapter,
    async buy(request) {
      const { signal } = request;
      const response = await client.exchange({
        url,
        method: 'GET',
        timeoutMs: TIMEOUT_MS,
        limitBytes: LIMIT_BYTES,
        ...(signal === undefined ? {} : { signal }),
      });
      const { refusal } =
        response.ok && response.status === 200
          ? (JSON.parse(response.text) as { readonly refusal: string | null })
          : { refusal: null };
      return refusal === null
        ? await adapter.buy(request)
        : { ok: false, refusal: { code: 'SANDBOX_REFUSAL', message: refusal } };
    },
  };
}
