import ipaddr from 'ipaddr.js';

/** Class of an address. Outbound connections to private ones need a permission; those to forbidden ones are never opened. */
export type AddressClass = 'public' | 'private' | 'forbidden';

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
