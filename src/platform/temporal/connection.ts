import { type InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { temporal } from '@temporalio/proto';
import type { Config } from '../config';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes';
import { isTracing } from '../tracing/spans';
import { traceClientCalls } from '../tracing/temporal-spans';
import { dataConverterOf } from './codec/data-converter';

type TemporalConfig = Pick<Config, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>;

/** Options of a client's Connection and a worker's NativeConnection. They contain keys: never log them. */
type TemporalConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'] & {
  readonly address: string;
};

/**
 * Returns the connection options of Temporal: the configured address, and TLS and API key from the standard TEMPORAL_*
 * variables and profile file. These apply only to a server that TEMPORAL_ADDRESS names. The embedded server, whose address is
 * added to the configuration later, is used without TLS, whatever profile the user has.
 */
export function temporalConnectionOptions(
  config: TemporalConfig,
  env: NodeJS.ProcessEnv = process.env,
): TemporalConnectionOptions {
  const address = config.TEMPORAL_ADDRESS;
  if (address === undefined) throw new Error('TEMPORAL_ADDRESS is not set and no embedded Temporal server is running');
  if (!env.TEMPORAL_ADDRESS) return { address };
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { connectionOptions } = loadClientConnectConfig({
    overrideEnvVars: { ...Object.fromEntries(variables), TEMPORAL_ADDRESS: address },
  });
  return { ...connectionOptions, address };
}

/** Creates a client that connects with its first call, so that a process can start while Temporal is unavailable. */
export function connectTemporal(config: TemporalConfig & Pick<Config, 'PAYLOAD_KEYS'>): Client {
  return new Client({
    dataConverter: dataConverterOf(config.PAYLOAD_KEYS),
    connection: Connection.lazy({
      ...temporalConnectionOptions(config),
      interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endAfterClose],
    }),
    namespace: config.TEMPORAL_NAMESPACE,
    ...(isTracing() ? { interceptors: { workflow: [traceClientCalls] } } : {}),
  });
}

/**
 * Cancels a call that is made after its connection was closed, first or again. The SDK tries again in a timer, where the exception
 * of the closed connection would end the process.
 */
const endAfterClose: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as InterceptingCall;
  } catch (error) {
    const ended = { code: status.CANCELLED, details: (error as Error).message, metadata: new Metadata() };
    return {
      start: (_metadata, listener) =>
        setImmediate(() => {
          // As a call of grpc-js that failed: the SDK passes the status on after a message only.
          listener?.onReceiveMessage?.(null);
          listener?.onReceiveStatus?.(ended);
        }),
      sendMessage: () => undefined,
      // As grpc-js names it when an interceptor calls the next one.
      sendMessageWithContext: () => undefined,
      halfClose: () => undefined,
      cancelWithStatus: () => undefined,
    } as Partial<InterceptingCall> as InterceptingCall;
  }
};

const { IndexedValueType } = temporal.api.enums.v1;

const INDEXED_TYPES = {
  DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/**
 * Registers the search attributes in a namespace and keeps existing ones. Several processes can call it at the same time.
 * @throws Error with the name of an attribute that exists with another type
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, temporal.api.enums.v1.IndexedValueType> = {};
  for (const { name, type } of Object.values(SEARCH_ATTRIBUTES)) {
    const wanted = INDEXED_TYPES[type];
    const existing = customAttributes[name];
    if (existing === undefined || existing === null) missing[name] = wanted;
    else if (existing !== wanted) {
      throw new Error(
        `Temporal namespace ${namespace}: search attribute ${name} has type ${IndexedValueType[existing]}, not ${type}; remove it or use another namespace.`,
      );
    }
  }
  if (Object.keys(missing).length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  } catch (error) {
    // Another process registered it first.
    if (!isGrpcServiceError(error) || error.code !== status.ALREADY_EXISTS) throw error;
  }
}

/** A worker that polls Temporal for tasks. */
interface Poller {
  /** The process id and host of the worker, unless it has another identity. */
  readonly identity: string;
  readonly types: readonly TaskType[];
  readonly lastSeenAt: Date;
}

const TASK_TYPES = ['workflow', 'activity'] as const;
type TaskType = (typeof TASK_TYPES)[number];

export interface TaskQueueState {
  readonly pollers: readonly Poller[];
  /** Tasks that wait for a worker. Null when the Temporal server does not count them. */
  readonly backlog: Readonly<Record<TaskType, number | null>>;
}

const TYPES = {
  workflow: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;

/**
 * Returns the workers that polled for tasks in the last five minutes, as Temporal remembers them.
 * @param timeoutMs timeout of the two requests
 * @throws gRPC errors while Temporal is unavailable
 */
export async function readTaskQueue(client: Client, taskQueue: string, timeoutMs: number): Promise<TaskQueueState> {
  const describe = (type: TaskType) =>
    client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: TYPES[type],
        reportStats: true,
      }),
    );
  const found = new Map<string, { types: TaskType[]; lastSeenAt: Date }>();
  const backlog: Record<TaskType, number | null> = { workflow: null, activity: null };
  const states = await Promise.all(TASK_TYPES.map(async (type) => [type, await describe(type)] as const));
  for (const [type, { pollers, stats }] of states) {
    if (stats?.approximateBacklogCount != null) backlog[type] = Number(stats.approximateBacklogCount);
    for (const { identity, lastAccessTime } of pollers) {
      if (!identity) continue;
      const seen = new Date(Number(lastAccessTime?.seconds ?? 0) * 1_000);
      const poller = found.get(identity) ?? { types: [], lastSeenAt: seen };
      if (!poller.types.includes(type)) poller.types.push(type);
      if (seen > poller.lastSeenAt) poller.lastSeenAt = seen;
      found.set(identity, poller);
    }
  }
  return { pollers: [...found].map(([identity, poller]) => ({ identity, ...poller })), backlog };
}
