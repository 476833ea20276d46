import type { Channel } from '#schemas/stream/channel';
import { kindOf } from '#schemas/stream/channel-kinds';
import type { Principal } from '../connection/connection.ts';

/**
 * True if a principal may subscribe to a channel. It needs the scope `stream` or `admin`; fills of another organization
 * are refused to everyone. Sandbox keys have no live channels.
 */
export function maySubscribe(principal: Principal, channel: Channel): boolean {
  if (principal.sandbox) return false;
  if (!principal.scopes.includes('stream') && !principal.scopes.includes('admin')) return false;
  const { ownerOf } = kindOf(channel);
  return ownerOf === undefined || ownerOf(channel) === principal.orgId;
}
