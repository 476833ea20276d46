/**
 * Decides which addresses the service may connect to on behalf of a tenant: globally reachable unicast only. It is an
 * allow-list: an address that no rule identifies as public is refused. Pure.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Networks that a target may be in: the public one or, with a test setting, this machine. Never both. */
export type Reach = 'public' | 'loopback';

export type AddressVerdict =
  | { readonly allowed: true }
  /** `reason` is the name of a range, such as `private` or `linkLocal`, for messages. */
  | { readonly allowed: false; readonly reason: string };

const ALLOWED: AddressVerdict = { allowed: true };
const refused = (reason: string): AddressVerdict => ({ allowed: false, reason });

/** The only IPv6 range from which global unicast is assigned (RFC 4291, IANA IPv6 address space). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address, but on every Azure machine its host agent answers there, with secrets of the machine. */
const AZURE_HOST_AGENT = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/**
 * Evaluates one address in the canonical text that a resolver or a parsed URL returns; any other text is refused.
 * With `loopback` only loopback is allowed, so that a test setting does not allow a private network.
 */
export function evaluateAddress(text: string, reach: Reach = 'public'): AddressVerdict {
  // The library also reads octal and hexadecimal parts, in its own way, so such text is refused before.
  if (isIP(text) === 0) return refused('notAnAddress');
  const address = ipaddr.parse(text);
  if (reach === 'loopback') return address.range() === 'loopback' ? ALLOWED : refused('notLoopback');
  return address instanceof ipaddr.IPv4 ? evaluateV4(address) : evaluateV6(address as ipaddr.IPv6);
}

/** The canonical text of an address, for comparisons. Throws on text that is not an address. */
export function canonicalAddress(text: string): string {
  return ipaddr.parse(text).toString();
}

function evaluateV4(address: ipaddr.IPv4): AddressVerdict {
  const range = address.range();
  if (range !== 'unicast') return refused(range);
  return address.match(AZURE_HOST_AGENT) ? refused('cloudHostAgent') : ALLOWED;
}

function evaluateV6(address: ipaddr.IPv6): AddressVerdict {
  if (address.zoneId !== undefined) return refused('zoned');
  const range: string = address.range();
  // A 6to4 packet is delivered to the IPv4 address in bits 16 to 47 (RFC 3056).
  if (range === '6to4') return evaluateV4(embeddedV4(address.parts[1]!, address.parts[2]!));
  if (range !== 'unicast') return refused(range);
  // The library returns `unicast` for everything that its table lacks, including IPv4-compatible ::/96.
  return address.match(GLOBAL_UNICAST_V6) ? ALLOWED : refused('notGlobalUnicast');
}

function embeddedV4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
