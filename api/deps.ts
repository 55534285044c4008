import type { Client } from '@temporalio/client';
import type { FileInspector } from '../packages/file-reader/inspector';
import type { KeyUses } from '../src/accounts/key-uses';
import type { Carriers } from '../src/carriers/carriers';
import type { ClientQuotas } from '../src/orders/intake/client-quotas';
import type { RunGateway } from '../src/orders/run/gateway';
import type { RunSettings } from '../src/orders/run/settings';
import type { RoutingWeights } from '../src/partners/domain/routing-decision';
import type { CandidateReader } from '../src/partners/routing-rows';
import type { Config } from '../src/platform/config';
import type { PeriodicJob } from '../src/platform/domain/periodic-jobs';
import type { Health } from '../src/platform/health';
import type { SafeClient } from '../src/platform/http/safe-client';
import type { Logger } from '../src/platform/logging/logging';
import type { Metrics } from '../src/platform/metrics/metrics';
import type { ObjectStore } from '../src/platform/objects/object-store';
import type { LinkSigner } from '../src/platform/objects/signed-links';
import type { OutboxKind } from '../src/platform/outbox/outbox';
import type { Sql } from '../src/platform/postgres';
import type { SecretBox } from '../src/platform/sealing/secret-box';
import type { SlotShares } from '../src/platform/temporal/slot-shares';

/** Dependencies of the routes. Each API process has one set, built by cli/composition-root.ts. */
export interface ApiDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly links: LinkSigner;
  /** Seals the signing secrets that Postgres stores. */
  readonly secretBox: SecretBox;
  readonly carriers: Carriers;
  /** Sends requests to print partners. */
  readonly client: SafeClient;
  /** The calls to print partners that this process has under way. */
  readonly partnerCalls: SlotShares;
  /** Draws images of labels, in processes with limits. */
  readonly inspector: FileInspector;
  /** Folder for files while they are inspected. */
  readonly workFolder: string;
  /** Sends updates and queries to order workflows. */
  readonly runs: RunGateway;
  readonly quotas: ClientQuotas;
  /** Counts the calls of API keys. */
  readonly keyUses: KeyUses;
  /** Reads the partners that routing chooses from. */
  readonly candidates: CandidateReader;
  /** What routing adds to prices. */
  readonly routingWeights: RoutingWeights;
  /** Wakes the outbox relays, throttled. */
  readonly wake: (kind: OutboxKind) => void;
  readonly runSettings: RunSettings;
  readonly health: Health;
  readonly jobs: readonly PeriodicJob[];
  /** Address of the sandbox that runs with this API. Undefined: none does. */
  readonly sandboxUrl: string | undefined;
  /** Public base URL of the API, without a trailing slash. */
  readonly publicUrl: string;
  /** Connects lazily: routes that need no Temporal work while it is unavailable. */
  readonly temporal: Client;
}
