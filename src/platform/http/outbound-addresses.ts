import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { z } from 'zod';
import { BlockedAddressError, type HttpFault, httpFault } from './responses';

const CONNECT_TIMEOUT_MS = 10_000;

/** Returns the fault of a URL as written, or undefined when it is allowed. Does not resolve its host name. */
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

/** Which addresses connections may go to, and how names are resolved. Every address that `resolve` returns is checked. */
export interface OutboundRules {
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}

/** Returns a lookup that yields allowed addresses only. */
const checkedLookup =
  ({ allowPrivate, resolve }: OutboundRules): LookupFunction =>
  (hostname, options, callback) => {
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

/** Returns the error of a literal address that is not allowed: it needs no lookup. */
function blockedLiteral(hostname: string, { allowPrivate }: OutboundRules): BlockedAddressError | undefined {
  const host = withoutBrackets(hostname);
  return isIP(host) && !isAllowed(host, allowPrivate)
    ? new BlockedAddressError(`${host} is a blocked address`)
    : undefined;
}

/**
 * Returns a connector for undici that connects to allowed addresses only. The check is part of the connection's own DNS lookup,
 * so a name that resolves to another address the second time is checked again. Pooled connections were checked when they were
 * opened.
 */
export function createCheckedConnector(rules: OutboundRules): buildConnector.connector {
  const lookup = checkedLookup(rules);
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup } as buildConnector.BuildOptions);
  return (target, callback) => {
    const blocked = blockedLiteral(target.hostname, rules);
    if (blocked === undefined) connect(target, callback);
    else callback(blocked, null);
  };
}

/**
 * Opens a TCP connection to an allowed address.
 * @throws BlockedAddressError, or the error of the connection
 */
export async function connectChecked(host: string, port: number, rules: OutboundRules): Promise<Socket> {
  const blocked = blockedLiteral(host, rules);
  if (blocked !== undefined) throw blocked;
  const socket = connect({ host, port, noDelay: true, lookup: checkedLookup(rules) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isAllowed(address: string, allowPrivate: boolean): boolean {
  const kind = classifyAddress(address);
  return kind === 'public' || (kind === 'private' && allowPrivate);
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Class of an address. Outbound connections to private ones need a permission; those to forbidden ones are never opened. */
type AddressClass = 'public' | 'private' | 'forbidden';

/**
 * Private ranges, by their names in ipaddr.js. Every range that is neither listed here nor `unicast` is forbidden:
 * multicast, unspecified, reserved, documentation, and forms that can contain a private address (6to4, Teredo, NAT64,
 * IPv4-mapped).
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** Metadata addresses of cloud providers. They are forbidden in every range. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.169.253',
  '169.254.169.123',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/** Returns the class of an IPv4 or IPv6 address. Other text is forbidden. */
export function classifyAddress(text: string): AddressClass {
  const unzoned = text.replace(/%.*$/s, '');
  if (!ipaddr.isValid(unzoned)) return 'forbidden';
  const address = ipaddr.parse(unzoned);
  if (METADATA_ADDRESSES.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (PRIVATE_RANGES.has(range)) return 'private';
  if (range !== 'unicast') return 'forbidden';
  // Global unicast IPv6 is 2000::/3 (RFC 4291, IANA registry); the rest of the space is unassigned.
  if (address.kind() === 'ipv6' && ((address as ipaddr.IPv6).parts[0]! & 0xe000) !== 0x2000) return 'forbidden';
  return 'public';
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns every address of a host name. Rejects with the DNS error code when there is none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Resolves names with the system's lookup, which knows the hosts file and names of the local network. */
export const resolveLocally: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Returns a lookup for public names that uses DNS alone. The system's lookup uses libuv's thread pool, four threads by default:
 * four names whose servers do not respond would delay every other lookup and file operation of the process.
 * @param servers `address:port`; default: the servers of the system
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}

/** Returns the schema of an address that Pressline calls. @param allowPrivate whether plain http and private networks are allowed */
export const outboundUrl = (allowPrivate: boolean) =>
  z
    .string()
    .min(1)
    .max(2_000)
    .superRefine((url, context) => {
      const fault = url === '' ? undefined : checkOutboundUrl(url, allowPrivate);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault.message });
    });

/** Returns a URL with its path and query replaced by `…`. Receivers of webhooks put tokens into them. Other text stays. */
export function withoutTokens(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return text;
  return url.pathname === '/' && url.search === '' && url.username === '' ? text : `${url.origin}/…`;
}
