import { BlockList } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { canonicalAddress, evaluateAddress } from './address-policy.ts';
import {
  PUBLIC_ADDRESSES,
  REFUSED_V4,
  REFUSED_V4_ADDRESSES,
  REFUSED_V6,
  REFUSED_V6_ADDRESSES,
} from './hostile-targets.fixture.ts';

const isAllowed = (address: string) => evaluateAddress(address).allowed;

/** The same tables, evaluated by Node instead of the library. */
const refusedV4 = new BlockList();
for (const [base, bits] of REFUSED_V4) refusedV4.addSubnet(base, bits, 'ipv4');
const refusedV6 = new BlockList();
for (const [base, bits] of REFUSED_V6) refusedV6.addSubnet(base, bits, 'ipv6');
const unicastV6 = new BlockList();
unicastV6.addSubnet('2000::', 3, 'ipv6');
const sixToFour = new BlockList();
sixToFour.addSubnet('2002::', 16, 'ipv6');

function expected(address: string): boolean {
  if (!address.includes(':')) return !refusedV4.check(address, 'ipv4');
  if (sixToFour.check(address, 'ipv6')) return expected(ipaddr.parse(address).toByteArray().slice(2, 6).join('.'));
  return unicastV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6');
}

const text = (bytes: readonly number[]) => ipaddr.fromByteArray([...bytes]).toString();

/** The address `by` after this one, wrapping at the ends. */
function shifted(address: string, by: 1 | -1): string {
  const bytes = ipaddr.parse(address).toByteArray();
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    bytes[index] = (bytes[index]! + by + 256) % 256;
    if (bytes[index] !== (by === 1 ? 0 : 255)) break;
  }
  return text(bytes);
}

function lastOf(base: string, bits: number): string {
  const bytes = ipaddr.parse(base).toByteArray();
  return text(bytes.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8)))));
}

describe('the address policy', () => {
  it.each([...REFUSED_V4_ADDRESSES, ...REFUSED_V6_ADDRESSES])('refuses %s', (address) => {
    expect(evaluateAddress(address)).toEqual({ allowed: false, reason: expect.stringMatching(/^\w+$/) });
  });

  it.each(PUBLIC_ADDRESSES)('allows %s', (address) => expect(evaluateAddress(address)).toEqual({ allowed: true }));

  it.each([...REFUSED_V4, ...REFUSED_V6, ['2000::', 3] as const])(
    'knows the first and the last address of %s/%d',
    (base, bits) => {
      const last = lastOf(base, bits);
      const corners = [base, last, shifted(base, 1), shifted(last, -1), shifted(base, -1), shifted(last, 1)];
      expect(corners.map((address) => [address, isAllowed(address)])).toEqual(
        corners.map((address) => [address, expected(address)]),
      );
    },
  );

  it('agrees with the tables on any address', () => {
    const bytes = (length: number) =>
      fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length });
    // Random IPv6 addresses are hardly ever in the assigned range, so half of them start there.
    const v6 = fc.oneof(
      bytes(16),
      fc
        .tuple(fc.constantFrom([0x20, 0x01], [0x20, 0x02], [0x26, 0x20], [0x3f, 0xff]), bytes(14))
        .map((parts) => parts.flat()),
    );
    fc.assert(
      fc.property(fc.oneof(bytes(4), v6), (address) => isAllowed(text(address)) === expected(text(address))),
      { numRuns: 2_000 },
    );
  });

  it.each(['', 'localhost', '0x7f.1', '0177.0.0.1', '127.1', '1', '8.8.8.8:443', '[2606::1]', ' 8.8.8.8', '8.8.8.8/8'])(
    'refuses %j, which is not canonical',
    (address) => expect(evaluateAddress(address)).toEqual({ allowed: false, reason: 'notAnAddress' }),
  );

  it('refuses a zone even on a public address', () => {
    expect(evaluateAddress('2606:4700:4700::1111%eth0')).toEqual({ allowed: false, reason: 'zoned' });
  });

  it('allows only loopback with the loopback reach', () => {
    const all = [...REFUSED_V4_ADDRESSES, ...REFUSED_V6_ADDRESSES, ...PUBLIC_ADDRESSES];
    expect(all.filter((address) => evaluateAddress(address, 'loopback').allowed)).toEqual([
      '127.0.0.1',
      '127.0.0.2',
      '127.1.2.3',
      '127.255.255.255',
      '::1',
    ]);
  });

  it('has one canonical text for each address', () => {
    expect(canonicalAddress('2606:4700:0000:0:0:0:0:1111')).toBe(canonicalAddress('2606:4700::1111'));
  });
});
