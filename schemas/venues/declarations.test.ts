import { describe, expect, it } from 'vitest';
import { DECLARATIONS } from './index.ts';

const repeated = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);

it('no two venues share the name of a venue, provider, setting or variable', () => {
  const upstreams = DECLARATIONS.flatMap(({ streams = [] }) => streams.flatMap(({ upstream }) => upstream ?? []));
  expect(repeated(DECLARATIONS.map(({ venue }) => venue))).toEqual([]);
  expect(repeated(DECLARATIONS.flatMap(({ providers }) => providers.map(({ provider }) => provider)))).toEqual([]);
  expect(repeated(upstreams.map(({ setting }) => setting))).toEqual([]);
  expect(repeated(upstreams.map(({ variable }) => variable))).toEqual([]);
});

describe.each(DECLARATIONS.map((declaration) => [declaration.venue, declaration] as const))('%s', (venue, declared) => {
  it('names its providers after itself, and one of them for wallets', () => {
    for (const { provider } of declared.providers)
      expect(provider === venue || provider.startsWith(`${venue}_`), provider).toBe(true);
    if (declared.accounts)
      expect(declared.providers.map(({ provider }) => provider)).toContain(declared.accounts.walletProvider);
  });

  it('states the capabilities of its channels, and has streams if it has capabilities', () => {
    for (const { provider, capabilities, tradeChannel, rawChannels } of declared.providers) {
      const isAvailable = capabilities.length > 0;
      expect(capabilities.includes('stream.trades'), provider).toBe(isAvailable && tradeChannel);
      expect(capabilities.includes('stream.raw'), provider).toBe(isAvailable && rawChannels !== undefined);
      if (isAvailable) expect(declared.streams, provider).toBeDefined();
    }
  });

  it('has raw channels whose example is accepted, and one spelling without separators for each stream', () => {
    for (const { rawChannels = [] } of declared.providers)
      for (const { example, accepts } of rawChannels) expect(accepts(example), example).toBe(true);
    const streams = declared.streams?.map(({ stream }) => stream) ?? [];
    expect(repeated(streams)).toEqual([]);
    for (const stream of streams) expect(stream).toMatch(/^[a-z][a-z_]*$/);
  });

  it('has public URLs of the declared protocols', () => {
    for (const { stream, upstream } of declared.streams ?? []) {
      if (!upstream) continue;
      const scheme = new URL(upstream.publicUrl).protocol;
      expect(
        upstream.protocols.map((protocol) => `${protocol}s:`),
        stream,
      ).toContain(scheme);
      expect(upstream.variable).toMatch(/^PARALLAX_[A-Z_]+_URL$/);
    }
  });
});
