import { lookup, Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
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
