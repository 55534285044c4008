import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Config } from './config';
import type { ObjectStore } from './objects/object-store';
import type { Sql } from './postgres';

type ServerState = 'ready' | 'unavailable';

/** Body of `/readyz`. The HTTP status is 200 for the status `ready`, else 503. */
export interface Readiness {
  /** `stopping`: the process still handles requests, and should get no new ones. */
  readonly status: 'ready' | 'unavailable' | 'stopping';
  readonly postgres: ServerState;
  readonly temporal: ServerState;
  readonly objectStore: ServerState;
}

/** The health of a process, for the probes on the API's port and on the metrics listener. */
export interface Health {
  /** Reads the state of each server. Takes at most 1.5 s. */
  readiness(): Promise<Readiness>;
  /** Makes the process not ready, as the first step of its stop. */
  beginStop(): void;
}

/** Timeout of the probes of Postgres and the object store: enough for a busy server, short enough for a probe. */
const PROBE_MS = 1_500;
/** An object that does not exist. The store has to respond, whatever the response. */
const PROBED_OBJECT = 'probe';
/**
 * Deadline of the Temporal probe. The client retries with back-off until the deadline, so the probe takes at most about
 * twice this time. It is always awaited: a pending retry would meet a closed connection when the process stops.
 */
const TEMPORAL_PROBE_MS = 500;

async function stateOf(probe: PromiseLike<unknown>): Promise<ServerState> {
  try {
    await probe;
    return 'ready';
  } catch {
    return 'unavailable';
  }
}

async function stateInTime(probe: PromiseLike<unknown>): Promise<ServerState> {
  const responded = new AbortController();
  const late = sleep(PROBE_MS, 'unavailable' as const, responded).catch(() => 'unavailable' as const);
  const state = await Promise.race([late, stateOf(probe)]);
  responded.abort();
  return state;
}

function temporalState({ connection, workflowService }: Client): Promise<ServerState> {
  return stateOf(connection.withDeadline(Date.now() + TEMPORAL_PROBE_MS, () => workflowService.getSystemInfo({})));
}

/** A process is ready without Temporal, as orders are accepted and start later, and without the object store. */
export function createHealth({
  sql,
  temporal,
  objects,
}: {
  readonly sql: Sql;
  readonly temporal: Client;
  readonly objects: Pick<ObjectStore, 'stat'>;
}): Health {
  let isStopping = false;
  return {
    async readiness() {
      const [postgres, temporalNow, objectStore] = await Promise.all([
        stateInTime(sql`SELECT 1`),
        temporalState(temporal),
        stateInTime(objects.stat(PROBED_OBJECT)),
      ]);
      const status = isStopping ? 'stopping' : postgres === 'ready' ? 'ready' : 'unavailable';
      return { status, postgres, temporal: temporalNow, objectStore };
    },
    beginStop() {
      isStopping = true;
    },
  };
}

/** Returns the probes as pages of a listener without routes, such as the metrics listener. */
export function healthPages(health: Health) {
  const page = (status: number, body: object) => ({
    status,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(body),
  });
  return {
    '/livez': async () => page(200, { status: 'up' }),
    '/readyz': async () => {
      const readiness = await health.readiness();
      return page(readiness.status === 'ready' ? 200 : 503, readiness);
    },
  };
}

const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'] as const;
const DELAY_IN_CONTAINERS_MS = 5_000;

/**
 * Returns how long a stopping process continues to accept requests while it is not ready, in milliseconds. A load balancer
 * needs this time to notice. By default 0 outside containers, so that Ctrl-C on a laptop stops at once.
 */
export function shutdownDelayMs(
  { SHUTDOWN_DELAY }: Pick<Config, 'SHUTDOWN_DELAY'>,
  isContainer = process.env.KUBERNETES_SERVICE_HOST !== undefined || CONTAINER_FILES.some(existsSync),
): number {
  return SHUTDOWN_DELAY ?? (isContainer ? DELAY_IN_CONTAINERS_MS : 0);
}
