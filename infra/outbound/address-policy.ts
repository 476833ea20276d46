/**
 * Which addresses the service may connect to on behalf of a tenant: globally reachable unicast and nothing else. Thought
 * as an allow-list: what no rule knows to be public is refused. Pure.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a target may reach: the public network, or (test setting) this machine itself. Never both. */
export type Reach = 'public' | 'loopback';

export type AddressVerdict =
  | { readonly allowed: true }
  /** `reason` is a name of a range, as `private` or `linkLocal`, fit for a message. */
  | { readonly allowed: false; readonly reason: string };

const ALLOWED: AddressVerdict = { allowed: true };
const refused = (reason: string): AddressVerdict => ({ allowed: false, reason });

/** The only part of IPv6 that global unicast is assigned from (RFC 4291, IANA IPv6 address space). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by number, but answered by the host of every Azure machine: its agent, with secrets of the machine. */
const AZURE_HOST_AGENT = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/**
 * Judges one address in the canonical text that a resolver or a parsed URL gives; any other text is refused unread.
 * With `loopback` only loopback is allowed, so that a test setting opens no way to a private network.
 */
export function judgeAddress(text: string, reach: Reach = 'public'): AddressVerdict {
  // The library also reads octal and hexadecimal parts, in its own way; nothing that needs interpreting comes so far.
  if (isIP(text) === 0) return refused('notAnAddress');
  const address = ipaddr.parse(text);
  if (reach === 'loopback') return address.range() === 'loopback' ? ALLOWED : refused('notLoopback');
  return address instanceof ipaddr.IPv4 ? judgeV4(address) : judgeV6(address as ipaddr.IPv6);
}

/** The one spelling of an address, to compare by. Throws on text that is no address. */
export function canonicalAddress(text: string): string {
  return ipaddr.parse(text).toString();
}

function judgeV4(address: ipaddr.IPv4): AddressVerdict {
  const range = address.range();
  if (range !== 'unicast') return refused(range);
  return address.match(AZURE_HOST_AGENT) ? refused('cloudHostAgent') : ALLOWED;
}

function judgeV6(address: ipaddr.IPv6): AddressVerdict {
  if (address.zoneId !== undefined) return refused('zoned');
  const range: string = address.range();
  // A 6to4 packet ends at the IPv4 address in bits 16 to 47, wherever that is (RFC 3056).
  if (range === '6to4') return judgeV4(embeddedV4(address.parts[1]!, address.parts[2]!));
  if (range !== 'unicast') return refused(range);
  // `unicast` is the library's word for whatever its table lacks, IPv4-compatible ::/96 among it.
  return address.match(GLOBAL_UNICAST_V6) ? ALLOWED : refused('notGlobalUnicast');
}

function embeddedV4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
