import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { perpDexTopic } from '#schemas/topics/normalised';
import { driveVenueA, START } from './venue-a.fixture.ts';

const DEPLOYER = `0x${'Ab'.repeat(20)}`;
const REQUEST = { type: 'perpDexs' };
const dex = (name: string, change: Record<string, unknown> = {}) => ({
  name,
  fullName: `The ${name}`,
  deployer: DEPLOYER,
  ...change,
});
const FILE = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a/info.perpDexs.excerpt-2026-07.json');

describe('builder dexes', () => {
  it('are emitted in the order of the venue, without the main dex', () => {
    const venue = driveVenueA();
    venue.answer(REQUEST, [null, dex('one'), dex('two', { fullName: null, deployer: null })]);
    expect(venue.stage.emittedTo(perpDexTopic)).toEqual([
      {
        name: 'one',
        fullName: 'The one',
        deployer: DEPLOYER.toLowerCase(),
        delisted: false,
        index: 1,
        receivedAt: START,
      },
      { name: 'two', fullName: null, deployer: null, delisted: false, index: 2, receivedAt: START },
    ]);
  });

  it('are emitted again only if they changed, and as delisted with the second list that lacks them', () => {
    const venue = driveVenueA();
    venue.answer(REQUEST, [null, dex('one'), dex('two')]);
    venue.answer(REQUEST, [null, dex('one'), dex('two')], 1);
    // This list is from a node that lags behind.
    venue.answer(REQUEST, [null, dex('one')], 2);
    venue.answer(REQUEST, [null, dex('one'), dex('two')], 3);
    venue.answer(REQUEST, [null, dex('one')], 10_002);
    venue.stage.restart();
    venue.answer(REQUEST, [null, dex('one')], 20_001);
    venue.answer(REQUEST, [null, dex('one')], 20_002);
    venue.answer(REQUEST, [null, dex('one')], 40_000);
    venue.answer(REQUEST, [null, dex('one'), dex('two')], 40_001);
    const emitted = venue.stage.emittedTo(perpDexTopic);
    expect(emitted.map(({ name, delisted, receivedAt }) => `${name} ${delisted} ${receivedAt}`)).toEqual([
      `one false ${START}`,
      `two false ${START}`,
      `two true ${START + 20_002}`,
      `two false ${START + 40_001}`,
    ]);
  });

  it('are delisted a minute after the list that lacks them if no list follows', () => {
    const venue = driveVenueA();
    venue.answer(REQUEST, [null, dex('one'), dex('two')]);
    venue.answer(REQUEST, [null, dex('one')], 1);
    venue.clock(60_000);
    expect(venue.stage.emittedTo(perpDexTopic)).toHaveLength(2);
    venue.clock(60_001);
    expect(venue.stage.emittedTo(perpDexTopic).slice(2)).toMatchObject([{ name: 'two', delisted: true }]);
  });

  it('are refused as a whole if one has no name', () => {
    const venue = driveVenueA();
    venue.answer(REQUEST, [null, dex('one'), { fullName: 'x' }]);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters[0]!.detail).toMatch(/^answer\[2\]\.name: /);
  });

  it.skipIf(!existsSync(FILE))(`are read from the recorded list (skipped where ${FILE} is absent)`, () => {
    const { excerpt } = JSON.parse(readFileSync(FILE, 'utf8'));
    const venue = driveVenueA();
    venue.answer(REQUEST, [null, ...excerpt]);
    expect(venue.stage.emittedTo(perpDexTopic).slice(0, 2)).toMatchObject([
      { name: 'xyz', fullName: 'XYZ', deployer: '0x88806a71d74ad0a510b350545c9ae490912f0888', index: 1 },
      { name: 'flx', fullName: 'Felix Exchange', index: 2 },
    ]);
  });
});
