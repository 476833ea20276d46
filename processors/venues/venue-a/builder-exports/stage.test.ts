import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { partPayload } from '#schemas/domain/export-parts';
import { writeLz4Frame } from '#schemas/domain/lz4/write-frame';
import { builderDayTopic, builderFillTopic, registeredBuilderTopic } from '#schemas/topics/builder-exports';
import { changeTopic } from '#schemas/topics/control';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { builderFileRequest, builderFileText, DAY_MS } from '#schemas/venues/venue-a/builder-export';
import { change, OPERATOR, SEED } from '../../../organizations/organizations.fixture.ts';
import { driveStage, type StageDriver } from '../../../testing/drive-stage.fixture.ts';
import { createBuilderExportsStage } from './stage.ts';
import type { BuilderExportsState } from './state.ts';

const BUILDER = `0x${'b'.repeat(40)}`;
const USER = `0x${'a'.repeat(40)}`;
const DAY = Date.parse('2026-01-10T00:00:00Z');
const HEADER =
  'time,user,coin,side,px,sz,crossed,special_trade_type,tif,is_trigger,counterparty,closed_pnl,twap_id,builder_fee\n';
const row = (second: number, px = '135.88') =>
  `2026-01-10T00:00:0${second}Z,${USER},SOL,Bid,${px},0.23,false,Na,Alo,false,0xc0,0,0,0.003125\n`;

let stage: StageDriver<BuilderExportsState>;
let receivedAt: number;
beforeEach(() => {
  stage = driveStage(createBuilderExportsStage());
  receivedAt = DAY + DAY_MS + 10_000_000;
});

/** Feeds a response in parts; some can be left out. */
function respond(
  file: Buffer | null,
  { request = builderFileRequest({ builder: BUILDER, day: DAY }), skip = -1 } = {},
) {
  receivedAt += 1_000;
  const text = builderFileText({ file, etag: file && '"e"' });
  const half = Math.ceil(text.length / 2);
  const parts = [text.slice(0, half), text.slice(half)];
  for (const [index, part] of parts.entries()) {
    if (index === skip) continue;
    const payload = partPayload({ index, count: parts.length }, gzipSync(part));
    const key = 'venue_a.builder_fills';
    const base = { provider: 'venue_a', stream: 'builder_fills', key, receivedAt } as const;
    const record: RawEnvelope = { ...base, request, requestedAt: null, payload };
    stage.feed(rawTopic('venue_a', 'builder_fills'), record);
  }
}
const csv = (...rows: string[]) => writeLz4Frame(Buffer.from(HEADER + rows.join('')));
const rows = () => stage.emittedTo(builderFillTopic).map(({ fileAt, place, price }) => [fileAt, place, price]);
const days = () => stage.emittedTo(builderDayTopic).map(({ fileAt, hasFile, rows }) => [fileAt, hasFile, rows]);

it('emits the rows of a file, then its day', () => {
  respond(csv(row(4), row(7, '135.9')));
  expect(stage.outputs.map(({ topic }) => topic)).toEqual([
    builderFillTopic.name,
    builderFillTopic.name,
    builderDayTopic.name,
  ]);
  expect(stage.emittedTo(builderFillTopic)[0]).toEqual({
    builder: BUILDER,
    day: DAY,
    fileAt: receivedAt,
    place: 0,
    user: USER,
    coin: 'SOL',
    time: DAY + 4_000,
    side: 'buy',
    price: '135.88',
    qty: '0.23',
    builderFee: '0.003125',
  });
  expect(days()).toEqual([[receivedAt, true, 2]]);
});

it('replaces a day by a file with other content, and ignores equal content, also after a restart', () => {
  respond(csv(row(4)));
  const first = receivedAt;
  stage.restart();
  respond(csv(row(4)));
  expect(days()).toEqual([[first, true, 1]]);
  respond(csv(row(4), row(5)));
  expect(days()).toEqual([
    [first, true, 1],
    [receivedAt, true, 2],
  ]);
  expect(rows()).toEqual([
    [first, 0, '135.88'],
    [receivedAt, 0, '135.88'],
    [receivedAt, 1, '135.88'],
  ]);
});

const whole = csv(row(4), row(5));
it.each([
  ['a truncated file', whole.subarray(0, -20), 'malformed_lz4'],
  ['a file that is not LZ4', Buffer.from(HEADER + row(4)), 'malformed_lz4'],
  ['an empty file', Buffer.alloc(0), 'malformed_lz4'],
  ['a missing column', writeLz4Frame(Buffer.from(HEADER.replace('px,', 'price,') + row(4))), 'malformed_csv'],
  ['a row with too few cells', csv(row(4), row(5).replace(',Bid', '')), 'malformed_csv'],
  ['a row that ends early', csv(row(4), row(5).slice(0, -1)), 'malformed_csv'],
  ['a price that is none', csv(row(4), row(5, 'NaN')), 'malformed_csv'],
  ['another side', csv(row(4).replace('Bid', 'B')), 'malformed_csv'],
  ['no header', writeLz4Frame(Buffer.alloc(0)), 'malformed_csv'],
])('%s changes nothing and becomes a dead letter', (_, file, reason) => {
  respond(csv(row(4)));
  stage.clear();
  respond(file);
  expect(stage.outputs).toEqual([]);
  expect(stage.deadLetters.map((deadLetter) => deadLetter.reason)).toEqual([reason]);
});

it('a file of which a part is missing changes nothing', () => {
  for (const skip of [0, 1]) respond(csv(row(4)), { skip });
  expect(stage.outputs).toEqual([]);
  respond(csv(row(4)));
  expect(days()).toHaveLength(1);
});

it('a day is forgotten once its file is not requested any more', () => {
  const at = (day: number) => respond(csv(row(4)), { request: builderFileRequest({ builder: BUILDER, day }) });
  at(DAY);
  at(DAY + 60 * DAY_MS);
  expect(stage.state.days.size).toBe(2);
  at(DAY + 61 * DAY_MS);
  expect(stage.state.days.size).toBe(2);
  expect(days()).toHaveLength(3);
});

it('a response to another request becomes a dead letter', () => {
  respond(csv(row(4)), { request: 'GET /Mainnet/builder_fills/0x1/20260110.csv.lz4' });
  expect(stage.deadLetters[0]).toMatchObject({ reason: 'unknown_request' });
});

it('no file means no fills from 48 hours after the end of the day on, and a later file replaces that', () => {
  receivedAt = DAY + 3 * DAY_MS - 2_000;
  respond(null);
  expect(days()).toEqual([]);
  respond(null);
  respond(null);
  expect(days()).toEqual([[DAY + 3 * DAY_MS, false, 0]]);
  respond(csv(row(4)));
  respond(null);
  expect(days().at(-1)).toEqual([DAY + 3 * DAY_MS + 2_000, true, 1]);
});

it('a builder is registered while any organization has an attribution of it', () => {
  let commands = 0;
  const command = (type: string, body: object, as: Parameters<typeof change>[3]['as'] = OPERATOR) => {
    commands += 1;
    stage.feed(changeTopic, change(commands, type, body, { as, receivedAt: 1_000 }));
  };
  command('key.seed', SEED, null);
  const id = (nth: number) => `0b5f7c1e-9f57-4d0e-a4a1-5a3f6b1c2d3${nth}`;
  const register = (nth: number, provider: string, builder: string) =>
    command('platform_attribution.create', { attributionId: id(nth), provider, builder, label: '' });
  register(1, 'venue_a', BUILDER);
  register(2, 'venue_a', BUILDER);
  register(3, 'venue_b', `0x${'c'.repeat(64)}`);
  const [registered, ...others] = stage.emittedTo(registeredBuilderTopic);
  expect(others).toEqual([]);
  expect(registered!.builder).toBe(BUILDER);
  expect(registered!.since % DAY_MS).toBe(0);
  command('platform_attribution.delete', { attributionId: id(1) });
  expect(stage.outputs.at(-1)).toMatchObject({ topic: registeredBuilderTopic.name, key: BUILDER, value: null });
});
