import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { temporal } from '@temporalio/proto';
import type { Config } from '../config';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes';
import { dataConverterOf } from './codec/data-converter';

type TemporalConfig = Pick<Config, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>;

/** What a client's Connection and a worker's NativeConnection both take. Holds keys: never logged. */
export type TemporalConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'] & {
  readonly address: string;
};

/**
 * How to reach Temporal: the address of the configuration, and TLS and API key from the standard TEMPORAL_* variables
 * and profile file. Those belong to a server that TEMPORAL_ADDRESS names; our embedded server, whose address was
 * put into the configuration afterwards, is spoken to plainly, whatever profile the user has.
 */
export function temporalConnectionOptions(
  config: TemporalConfig,
  env: NodeJS.ProcessEnv = process.env,
): TemporalConnectionOptions {
  const address = config.TEMPORAL_ADDRESS;
  if (address === undefined)
    throw new Error('no Temporal address: neither TEMPORAL_ADDRESS nor an embedded server');
  if (!env.TEMPORAL_ADDRESS) return { address };
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { connectionOptions } = loadClientConnectConfig({
    overrideEnvVars: { ...Object.fromEntries(variables), TEMPORAL_ADDRESS: address },
  });
  return { ...connectionOptions, address };
}

/** A client that connects with its first call, so that a process starts and serves while Temporal is away. */
export function connectTemporal(config: TemporalConfig & Pick<Config, 'PAYLOAD_KEYS'>): Client {
  const dataConverter = dataConverterOf(config.PAYLOAD_KEYS);
  return new Client({
    ...(dataConverter === undefined ? {} : { dataConverter }),
    connection: Connection.lazy(temporalConnectionOptions(config)),
    namespace: config.TEMPORAL_NAMESPACE,
  });
}

const { IndexedValueType } = temporal.api.enums.v1;

const INDEXED_TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/**
 * Registers our search attributes in a namespace; those that are there already stay. Safe when several processes do it.
 * @throws Error naming the attribute when one exists with another type
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, temporal.api.enums.v1.IndexedValueType> = {};
  for (const { name, type } of Object.values(SEARCH_ATTRIBUTES)) {
    const wanted = INDEXED_TYPES[type];
    const present = customAttributes[name];
    if (present === undefined || present === null) missing[name] = wanted;
    else if (present !== wanted) {
      throw new Error(
        `Temporal namespace ${namespace}: search attribute ${name} has type ${IndexedValueType[present]}, not ${type}; remove it or use another namespace.`,
      );
    }
  }
  if (Object.keys(missing).length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  } catch (error) {
    // Another process was faster.
    if (!isGrpcServiceError(error) || error.code !== ALREADY_EXISTS) throw error;
  }
}

/** gRPC status code. */
const ALREADY_EXISTS = 6;
