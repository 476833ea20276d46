import { expect, it } from 'vitest';
import { CHAIN_FILTER } from './log-filter.ts';

it('asks for both encodings of fills, of every exchange up to v3, and for how conditions were resolved', () => {
  expect(CHAIN_FILTER.addresses).toHaveLength(7);
  for (const address of [
    '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
    '0xe111180000d2663c0091e4f400237545b87b996b',
    '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
    '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  ])
    expect(CHAIN_FILTER.addresses).toContain(address);
  expect(CHAIN_FILTER.topics).toEqual(
    expect.arrayContaining([
      '0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6',
      '0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee',
      '0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894',
    ]),
  );
});
