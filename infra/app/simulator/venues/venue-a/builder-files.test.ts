import { expect, it } from 'vitest';
import { builderFileRequest, DAY_MS, readBuilderRows } from '#schemas/venues/venue-a/builder-export';
import { BEFORE_THE_HOUR, SMALL } from '../../simulation.fixture.ts';
import { HOUR_MS } from '../../world/time.ts';
import { createWorld } from '../../world/world.ts';
import { builderAddresses, createAccounts } from './accounts.ts';
import { answerBuilderFile } from './builder-files.ts';

const world = createWorld(SMALL);
const accounts = createAccounts(world);
const [BUILDER, OTHER] = builderAddresses(world);
const END = Math.floor(BEFORE_THE_HOUR / DAY_MS) * DAY_MS;
const DAY = END - DAY_MS;
const pathOf = (builder: string, day = DAY) => builderFileRequest({ builder, day }).slice('GET '.length);
const ask = (nowMs: number, builder = BUILDER!, ifNoneMatch?: string) =>
  answerBuilderFile(world, accounts, { path: pathOf(builder), ifNoneMatch }, nowMs);
const rowsAt = (nowMs: number, builder?: string) => [...readBuilderRows(ask(nowMs, builder)!.bytes!)].flat();

it('a file is published three hours after its day, and again with the fills of its last six hours', () => {
  expect(ask(END + 3 * HOUR_MS - 1)).toBeNull();
  const early = rowsAt(END + 3 * HOUR_MS);
  const complete = rowsAt(END + 5 * HOUR_MS);
  expect(early.length).toBeGreaterThan(0);
  expect(complete.slice(0, early.length)).toEqual(early);
  expect(complete.slice(early.length).every(({ time }) => time >= END - 6 * HOUR_MS)).toBe(true);
});

it('a request with the tag of the file is answered without it', () => {
  const { headers } = ask(END + 6 * HOUR_MS)!;
  expect(ask(END + 6 * HOUR_MS, BUILDER, headers!.etag)).toMatchObject({ status: 304 });
  expect(ask(END + 4 * HOUR_MS, BUILDER, headers!.etag)).toMatchObject({ status: 200 });
});

it('the files contain each fill of an account that has a fee of a builder, once', () => {
  const user = world.population.accounts[0]!;
  type Fill = { time: number; coin: string; px: string; sz: string; builderFee?: string };
  const textOf = (time: number, coin: string, fee: string) => `${Math.floor(time / 1_000)} ${coin} ${Number(fee)}`;
  const fills = (accounts.userFills(user, END) as Fill[]).filter(({ time }) => time >= DAY);
  const expected = fills
    .filter(({ builderFee }) => builderFee)
    .map((fill) => textOf(fill.time, fill.coin, fill.builderFee!));
  const rows = [BUILDER!, OTHER!, builderAddresses(world)[2]!].flatMap((builder) => rowsAt(END + DAY_MS, builder));
  const own = rows.filter((row) => row.user === user).map((row) => textOf(row.time, row.coin, row.builderFee));
  expect(own.length).toBeGreaterThan(0);
  expect(own.sort()).toEqual(expected.sort());
});

it('there is no file of an unknown builder', () => {
  expect(answerBuilderFile(world, accounts, { path: pathOf(`0x${'9'.repeat(40)}`) }, END + DAY_MS)).toBeNull();
});
