import { createPresslineClient, type PresslineClient, PresslineError } from '../../client/pressline-client';
import { readCredentials } from '../credentials';

/** Where the commands find an API and the keys for it. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly key?: string;
  /** Key and secret of a client, joined by a colon. */
  readonly clientKey?: string;
}

/** Typed clients of one API. */
export interface Connection {
  readonly baseUrl: string;
  /** @throws WrongUse without the key of an operator */
  readonly operator: PresslineClient;
  /** @throws WrongUse without the key of a client */
  readonly client: PresslineClient;
}

/** The command cannot run as it was called. */
export class WrongUse extends Error {}

/** The API refused a request, or does not respond. The message is for people. */
export class RemoteFailure extends Error {
  constructor(
    message: string,
    readonly kind: 'refused' | 'unavailable',
  ) {
    super(message);
  }
}

/** Connects to the API that the options name, or else to the stack that runs on DATA_DIR. @throws WrongUse */
export async function connect({ url, key, clientKey }: ConnectionOptions): Promise<Connection> {
  const folder = process.env.DATA_DIR ?? '.data';
  const local = url ? undefined : await readCredentials(folder);
  const baseUrl = (url || local?.baseUrl)?.replace(/\/$/, '');
  if (baseUrl === undefined)
    throw new WrongUse(
      `No API is named: set PRESSLINE_URL or --url, or start a stack here (there is no ${folder}/credentials.json).`,
    );
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) throw new WrongUse(`--url ${baseUrl} is not a URL.`);
  const operatorKey = key ?? local?.operator.apiKey;
  const pair = clientKey ?? (local && `${local.client.apiKey}:${local.client.apiSecret}`);
  return {
    baseUrl,
    get operator() {
      if (!operatorKey) throw new WrongUse('This needs the key of an operator: set PRESSLINE_OPERATOR_KEY or --key.');
      return createPresslineClient({ baseUrl, apiKey: operatorKey, retries: 1 });
    },
    get client() {
      const [apiKey, apiSecret] = pair?.split(':') ?? [];
      if (!apiKey || !apiSecret)
        throw new WrongUse('This needs the key and secret of a client: set PRESSLINE_CLIENT_KEY or --client-key.');
      return createPresslineClient({ baseUrl, apiKey, apiSecret, retries: 1 });
    },
  };
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: 'The key is not valid, or has ended.',
  403: 'The key may not do this: it is of another kind of account, or its role is too low.',
  404: 'The API does not have this object.',
};

/** Returns an error in words for people, or the error itself when it is none of the API or the connection. */
export function inWords(error: unknown, baseUrl: string): unknown {
  if (error instanceof PresslineError) {
    const { status, message, requestId } = error;
    const meaning = MEANINGS[status] === undefined ? '' : `${MEANINGS[status]} `;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    return new RemoteFailure(
      `${meaning}${message.trim()}${request}`,
      status >= 500 || status === 429 ? 'unavailable' : 'refused',
    );
  }
  // What fetch throws for a broken connection or after the timeout.
  if ((error instanceof TypeError && error.message === 'fetch failed') || (error as Error)?.name === 'TimeoutError') {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    return new RemoteFailure(
      `${baseUrl} does not respond: ${cause?.code ?? cause?.message ?? 'no response in time'}`,
      'unavailable',
    );
  }
  return error;
}
