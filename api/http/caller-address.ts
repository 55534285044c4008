import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import type { Logger } from '../../src/platform/logging/logging';

/** Returns the IP address of a caller, behind trusted proxies the one that they report (TRUSTED_PROXIES). */
export function callerAddress(req: Request): string | undefined {
  return req.ip?.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns the network under which failures are counted: an IPv4 address, or the /64 of an IPv6 address, which one caller has. */
export function callerNetwork(address = 'unknown'): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.replace(/%.*/, '')}/64`).toString();
}

/**
 * Warns once when a request has `X-Forwarded-For` and comes from an address that is not in TRUSTED_PROXIES: limits and the
 * audit log then take the proxy for the caller.
 */
export function untrustedProxyWarning(log: Logger): RequestHandler {
  let warned = false;
  return (req, _res, next) => {
    if (!warned && req.headers['x-forwarded-for'] !== undefined) {
      const { remoteAddress = '' } = req.socket;
      const trusts = req.app.get('trust proxy fn') as (address: string, index: number) => boolean;
      if (!trusts(remoteAddress, 0)) {
        warned = true;
        log.warn(
          { address: remoteAddress },
          'a request with X-Forwarded-For came from an address that is not in TRUSTED_PROXIES: all callers behind it share the limits of one address',
        );
      }
    }
    next();
  };
}
