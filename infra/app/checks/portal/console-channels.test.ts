/** What the console of the portal makes of the declared channels. */
import { describe, expect, it } from 'vitest';
import { type AsyncApi, kindsOf, nameOf } from '#query-api/portal/pages/stream/channels';
import { asyncApiDocument } from '#schemas/stream/asyncapi';
import { parseChannel } from '#schemas/stream/channel-names';

const VALUES: Readonly<Record<string, string>> = {
  universalId: 'evt_1',
  orgId: 'org_1',
  provider: 'venue_b',
  anomalyKind: 'trade-volume',
  instrument: 'BTC',
};

describe('kinds of channels', () => {
  const kinds = kindsOf(asyncApiDocument('1') as unknown as AsyncApi);

  it('are all that the document declares, without the connection itself', () => {
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.map(({ name }) => name)).not.toContain('stream');
    expect(kinds.find(({ name }) => name === 'anomaly-kind')!.parameters[0]!.values).toContain('trade-volume');
  });

  it('name a channel with the parameters of their address, and none while one is missing', () => {
    const delivering = kinds.filter(({ isDelivering }) => isDelivering);
    for (const kind of delivering)
      expect(
        parseChannel(nameOf(kind, { ...VALUES, ...(kind.name === 'venue_b' ? { instrument: '123' } : {}) })!),
        kind.name,
      ).not.toBeNull();
    expect(nameOf(kinds.find(({ name }) => name === 'event')!, { universalId: '' })).toBeNull();
  });
});
