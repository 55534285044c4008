import { classifyAddress } from '../../../../src/platform/http/outbound-addresses';

describe('the class of an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:80f::200e'])(
    '%s is public',
    (address) => expect(classifyAddress(address)).toBe('public'),
  );

  it.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '127.255.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd12::1',
  ])('%s is private', (address) => expect(classifyAddress(address)).toBe('private'));

  it.each([
    ['instance metadata', '169.254.169.254'],
    ['instance metadata over IPv6', 'fd00:ec2::254'],
    ['task credentials', '169.254.170.2'],
    ['metadata in the shared range', '100.100.100.200'],
    ['metadata in a public range', '168.63.129.16'],
    ['unspecified', '0.0.0.0'],
    ['unspecified IPv6', '::'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast IPv6', 'ff02::1'],
    ['reserved', '240.0.0.1'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a network', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:53aa:64c::1'],
    ['site-local', 'fec0::1'],
    ['documentation IPv6', '2001:db8::1'],
    ['unassigned IPv6', '4000::1'],
    ['no address', 'localhost'],
    ['empty', ''],
  ])('%s (%s) is forbidden', (_name, address) => expect(classifyAddress(address)).toBe('forbidden'));
});
