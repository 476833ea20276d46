import { createHash } from 'node:crypto';
import { writeLz4Frame } from '#schemas/domain/lz4/write-frame';
import { type BuilderFile, DAY_MS, readBuilderFileRequest } from '#schemas/venues/venue-a/builder-export';
import type { HostAnswer } from '../../sockets/http-host.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { type Accounts, builderAddresses, type UserFill } from './accounts.ts';

const HEADER =
  'time,user,coin,side,px,sz,crossed,special_trade_type,tif,is_trigger,counterparty,closed_pnl,twap_id,builder_fee';
/** A file is published this long after the end of its day, at first without the fills of its last six hours: a builder may have none in fewer. */
const PUBLISHED_MS = 3 * HOUR_MS;
/** From this time after the end of the day on, it has all fills. */
const COMPLETE_MS = 5 * HOUR_MS;
/** What the first version of a file leaves out of its day. */
const LATE_MS = 6 * HOUR_MS;
const COUNTERPARTY = `0x${'0'.repeat(40)}`;

/** Answers requests for the daily files of builders; null for another path. There are none of unknown builders. */
export function answerBuilderFile(
  world: World,
  accounts: Pick<Accounts, 'builderFills'>,
  request: { readonly path: string; readonly ifNoneMatch?: string | undefined },
  nowMs: number,
): HostAnswer | null {
  const file = readBuilderFileRequest(`GET ${request.path}`);
  if (!file || !builderAddresses(world).includes(file.builder)) return null;
  const age = nowMs - (file.day + DAY_MS);
  if (age < PUBLISHED_MS) return null;
  const text = fileText(accounts, file, age < COMPLETE_MS ? DAY_MS - LATE_MS : DAY_MS);
  const etag = `"${createHash('md5').update(text).digest('hex')}"`;
  if (request.ifNoneMatch === etag) return { status: 304, text: '', headers: { etag } };
  return { status: 200, text: '', bytes: writeLz4Frame(Buffer.from(text)), headers: { etag } };
}

function fileText(accounts: Pick<Accounts, 'builderFills'>, { builder, day }: BuilderFile, spanMs: number): string {
  const rows = accounts.builderFills(builder, day, day + spanMs).map(rowText);
  return [HEADER, ...rows, ''].join('\n');
}

function rowText({ user, fill }: UserFill): string {
  const time = `${new Date(fill.time).toISOString().slice(0, 19)}Z`;
  const side = fill.side === 'B' ? 'Bid' : 'Ask';
  const { coin, px, sz, crossed, closedPnl, twapId, builderFee = '0' } = fill;
  const row = [time, user, coin, side, px, sz, crossed, 'Na', 'Ioc', false, COUNTERPARTY, closedPnl, twapId ?? 0];
  return [...row, builderFee].join();
}
