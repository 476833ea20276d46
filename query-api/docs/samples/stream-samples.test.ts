import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { streamSamples } from './stream-samples.ts';

const URL = 'ws://127.0.0.1:8081/v1/stream';

describe('the subscription as code', () => {
  it('has the URL and the frame in each language, and takes the key from the environment', () => {
    for (const { text } of streamSamples(URL, { channel: 'svc:stream:anomaly:all', since: null })) {
      expect(text).toContain(URL);
      expect(text).toMatch(/"type": ?"subscribe",\s*"channel": ?"svc:stream:anomaly:all"\s*}/);
      expect(text).toContain('PARALLAX_TOKEN');
    }
  });

  it('reaches wscat unchanged through a shell', () => {
    const channel = `svc:stream:venue_a_perp:it's "$HOME" \`id\``;
    const { text } = streamSamples(URL, { channel, since: 'earliest' }).find(({ name }) => name === 'wscat')!;
    const script = text.replace(/^npx wscat/, 'printf "%s\\n"');
    const words = execFileSync('/bin/sh', ['-c', script]).toString().trim().split('\n');
    expect(words.slice(0, 2)).toEqual(['-c', URL]);
    expect(JSON.parse(words.at(-1)!)).toEqual({ type: 'subscribe', channel, since: 'earliest' });
  });
});
