import { expect, it } from 'vitest';
import { CHAIN_LOG_FILTERS } from './log-filter.ts';

const [venueLogs, oracleLogs, sent, received] = CHAIN_LOG_FILTERS;

it('covers both encodings of fills, every exchange up to v3, and the resolutions of conditions', () => {
  expect(venueLogs?.addresses).toHaveLength(10);
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

it('covers splits, merges and conversions of both contracts, and the tokens that adapters send and receive', () => {
  expect(venueLogs?.addresses).toContain('0xd91e80cf2e7be2e162c6513ced06f1dd0da35296');
  expect(venueLogs?.topics[0]).toEqual(
    expect.arrayContaining([
      '0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298',
      '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca',
      '0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0',
      '0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04',
      '0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e',
    ]),
  );
  for (const filter of [sent, received]) {
    expect(filter?.addresses).toEqual(['0x4d97dcd97ec945f40cf65f87097ace5ea0476045']);
    expect(filter?.topics[0]).toEqual([
      '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
      '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
    ]);
  }
  expect(sent?.topics[2]).toHaveLength(4);
  expect(received?.topics.slice(1, 3)).toEqual([null, null]);
  expect(received?.topics[3]).toHaveLength(3);
});
