/** What the console of the portal makes of the declared channels, and what a shell makes of its commands. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type AsyncApi, kindsOf, nameOf } from '#query-api/portal/pages/stream/channels';
import { snippetsOf } from '#query-api/portal/pages/stream/snippets';
import { asyncApiDocument } from '#schemas/stream/asyncapi';
import { parseChannel } from '#schemas/stream/channel-names';

const URL = 'ws://127.0.0.1:8081/v1/stream';
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

describe('the command of the console', () => {
  const channel = `svc:stream:venue_a_perp:it's "$HOME" \`id\``;

  it('reaches wscat unchanged through a shell', () => {
    const { text } = snippetsOf(URL, { channel, since: 'earliest' }).find(({ name }) => name === 'wscat')!;
    const script = text.replace(/^npx wscat/, 'printf "%s\\n"');
    const words = execFileSync('/bin/sh', ['-c', script]).toString().trim().split('\n');
    expect(words.slice(0, 2)).toEqual(['-c', URL]);
    expect(JSON.parse(words.at(-1)!)).toEqual({ type: 'subscribe', channel, since: 'earliest' });
  });
});
