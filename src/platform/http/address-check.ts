import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { classifyAddress } from './addresses';
import { BlockedAddressError, type HttpFault, httpFault } from './http-fault';
import type { Resolve } from './resolve';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Returns the fault of a URL as written, or undefined when it is allowed. Does not resolve its host name.
 * @param allowPrivate whether plain http and private networks are allowed
 */
export function checkOutboundUrl(text: string, allowPrivate: boolean): HttpFault | undefined {
  if (!URL.canParse(text)) return httpFault('invalid-url', 'the address is not a valid URL');
  // The parser converts decimal, octal and hexadecimal forms of IPv4 to dotted quads.
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    return httpFault('invalid-url', `the address must start with https://, not ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    return httpFault('invalid-url', 'the address must not contain a user name or password');
  }
  const host = withoutBrackets(url.hostname);
  if (isIP(host) && !isAllowed(host, allowPrivate)) {
    return httpFault('blocked', `${host} is a blocked address`);
  }
  return undefined;
}

/**
 * Returns a connector for undici that connects to allowed addresses only. The check is part of the connection's own DNS lookup,
 * so a name that resolves to another address the second time is checked again. Pooled connections were checked when they were
 * opened.
 * @param resolve resolves names; the connector checks every address that it returns
 */
export function createCheckedConnector(allowPrivate: boolean, resolve: Resolve): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses
          .filter(({ address }) => isAllowed(address, allowPrivate))
          .filter(({ family }) => !options.family || family === options.family);
        const first = allowed[0];
        if (first === undefined) {
          callback(new BlockedAddressError(`${hostname} resolves to a blocked address`), '', 0);
        } else if (options.all) {
          callback(null, [...allowed]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup } as buildConnector.BuildOptions);
  return (target, callback) => {
    // A literal address needs no lookup, so it is checked here.
    const host = withoutBrackets(target.hostname);
    if (isIP(host) && !isAllowed(host, allowPrivate)) {
      callback(new BlockedAddressError(`${host} is a blocked address`), null);
      return;
    }
    connect(target, callback);
  };
}

function isAllowed(address: string, allowPrivate: boolean): boolean {
  const kind = classifyAddress(address);
  return kind === 'public' || (kind === 'private' && allowPrivate);
}

/** Returns `::1` for `[::1]`. */
function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
