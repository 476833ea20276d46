import { expect, it } from 'vitest';
import { CHAIN_LOG_FILTERS } from './log-filter.ts';

const [venueLogs, oracleLogs] = CHAIN_LOG_FILTERS;

it('covers both encodings of fills, every exchange up to v3, and the resolutions of conditions', () => {
  expect(venueLogs?.addresses).toHaveLength(9);
  for (const address of [
    '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
    '0xe111180000d2663c0091e4f400237545b87b996b',
    '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
    '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
    '0x71523d0f655b41e805cec45b17163f528b59b820',
  ])
    expect(venueLogs?.addresses).toContain(address);
  expect(venueLogs?.topics).toHaveLength(1);
  expect(venueLogs?.topics[0]).toEqual(
    expect.arrayContaining([
      '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
      '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
      '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
      '0xcdc45423ec79c60a3fe3de57272e598d71a4ec88822e822ac8e134184a8435aa',
    ]),
  );
});

it("covers the oracle requests of the venue's adapters, and no others", () => {
  expect(oracleLogs?.addresses).toEqual([
    '0xee3afe347d5c74317041e2618c49534daf887c24',
    '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1',
  ]);
  expect(oracleLogs?.topics[0]).toEqual([
    '0x6e51dd00371aabffa82cd401592f76ed51e98a9ea4b58751c70463a2c78b5ca1',
    '0x5165909c3d1c01c5d1e121ac6f6d01dda1ba24bc9e1f975b5a375339c15be7f3',
    '0x3f384afb4bd9f0aef0298c80399950011420eb33b0e1a750b20966270247b9a0',
  ]);
  expect(oracleLogs?.topics[1]).toHaveLength(6);
  expect(oracleLogs?.topics[1]).toContain('0x00000000000000000000000065070be91477460d8a7aeeb94ef92fe056c2f2a7');
  expect(oracleLogs?.topics[1]).toContain('0x00000000000000000000000069c47de9d4d3dad79590d61b9e05918e03775f24');
});
