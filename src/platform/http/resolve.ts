import { lookup, Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** @returns every address of a host name; rejects with the DNS error code when there is none */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The system's own look-up: knows the hosts file and names of the local network. */
export const resolveLocally: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Look-up by DNS alone, for public names. The system's runs in the process's few worker threads, four by default, where
 * four names whose servers stay silent would hold up every other look-up and file of the process.
 * @param servers `address:port`; the system's when not given
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
