/** What follows from the declaration of a venue, shown with two that are made up: one with an adapter, one planned. */
import { describe, expect, it, vi } from 'vitest';
import { createCandlesStage } from '#processors/candles/stage';
import { getProviders } from '#query-api/routes/get-providers';
import { walletSchema } from '#query-api/routes/v1/me/wallets/wallet-shapes';
import { VIEWS } from '#query-api/views/views';
import { accountProviderSchema, builderError } from '#schemas/domain/control/fields';
import { isQuestionInstrument, PRICE_PROVIDERS, TRADE_STREAM_PROVIDERS } from '#schemas/domain/providers';
import { parseSource } from '#schemas/domain/recording';
import { ALL_KINDS, channelsWithStatusOf, kindOf } from '#schemas/stream/channel-kinds';
import { formatChannel, parseChannel } from '#schemas/stream/channel-names';
import { TOPICS } from '#schemas/topics/catalog';
import { FRAME_TOPICS } from '#schemas/topics/raw';
import { covers, walletProvider } from '#schemas/venues/accounts';
import { HTTP_SOURCES, SOCKET_SOURCES } from '#schemas/venues/streams';
import { loadSettings, SETTINGS } from '../../config/settings.ts';
import { faultsBetween } from '../simulator/faults/spontaneous-faults.ts';

vi.mock('#schemas/venues/index', async (original) => {
  const { defineVenue } = await import('#schemas/venues/venue');
  const isCoin = (text: string) => /^[A-Z]{3}$/.test(text);
  const feed = { summary: 'Frames of a coin of venue_x.', example: 'ABC', accepts: isCoin };
  const upstream = (name: string, protocol: 'http' | 'ws') => ({
    setting: `venueX${name}Url`,
    variable: `PARALLAX_VENUE_X_${name.toUpperCase()}_URL`,
    description: `venue_x ${name}.`,
    protocols: [protocol],
    publicUrl: `${protocol}s://x.test`,
  });
  const venueX = defineVenue({
    venue: 'venue_x',
    providers: [
      {
        provider: 'venue_x_coin',
        kind: 'price',
        instrument: 'coin',
        capabilities: ['trades', 'stream.trades', 'stream.raw'],
        tradeChannel: true,
        rawChannels: [feed],
      },
      { provider: 'venue_x_bet', kind: 'question', instrument: 'token', capabilities: [], tradeChannel: false },
    ],
    accounts: { walletProvider: 'venue_x_coin', builderDigits: 8 },
    streams: [
      {
        stream: 'ws',
        carries: 'frames',
        partitions: 2,
        description: 'Frames of venue_x.',
        upstream: upstream('Ws', 'ws'),
      },
      {
        stream: 'list',
        carries: 'answers',
        partitions: 1,
        description: 'Lists of venue_x.',
        upstream: upstream('List', 'http'),
      },
    ],
    isQuestionInstrument: (instrument) => !isCoin(instrument),
  });
  const venueY = defineVenue({
    venue: 'venue_y',
    providers: [
      {
        provider: 'venue_y',
        kind: 'question',
        instrument: 'ticker',
        capabilities: [],
        tradeChannel: true,
        rawChannels: [feed],
      },
    ],
    isQuestionInstrument: () => true,
  });
  const { DECLARATIONS } = await original<typeof import('#schemas/venues/index')>();
  return { DECLARATIONS: [...DECLARATIONS, venueX, venueY] };
});

describe('a declared venue', () => {
  it('has topics of its streams and of everything that is derived from them', () => {
    const names = TOPICS.map(({ name }) => name).filter((name) => name.includes('venue_x'));
    const kinds = ['books', 'channels', 'contexts', 'instruments', 'markets', 'resolutions', 'status', 'trades'];
    expect(names).toEqual(
      expect.arrayContaining([
        'raw.venue_x.ws',
        'raw.venue_x.list',
        'raw.venue_x.feeds',
        ...kinds.map((kind) => `derived.${kind}.venue_x`),
      ]),
    );
    expect(TOPICS.find(({ name }) => name === 'raw.venue_x.ws')!.partitions).toBe(2);
  });

  it('has recordings, in which `record` continues frames and repeats answers', () => {
    expect(parseSource('venue_x.list')).toEqual({ venue: 'venue_x', stream: 'list' });
    expect(parseSource('venue_x.other')).toBeNull();
    expect([FRAME_TOPICS.has('raw.venue_x.ws'), FRAME_TOPICS.has('raw.venue_x.list')]).toEqual([true, false]);
  });

  it('has a setting for each URL, which accepts its protocols', () => {
    expect(SETTINGS).toMatchObject({
      venueXWsUrl: { variable: 'PARALLAX_VENUE_X_WS_URL', accepts: 'a URL beginning with ws:// or wss://' },
      venueXListUrl: { variable: 'PARALLAX_VENUE_X_LIST_URL', fallback: null },
    });
    expect(loadSettings([], { PARALLAX_VENUE_X_WS_URL: 'wss://h/p' })).toMatchObject({ venueXWsUrl: 'wss://h/p' });
    expect(() => loadSettings([], { PARALLAX_VENUE_X_WS_URL: 'http://h' })).toThrow('PARALLAX_VENUE_X_WS_URL');
  });

  it('is listed by GET /providers, as planned without capabilities', async () => {
    const { providers } = (await getProviders.handle(undefined as never, undefined as never)) as {
      readonly providers: readonly unknown[];
    };
    expect(providers.slice(-3)).toEqual([
      {
        provider: 'venue_x_coin',
        family: 'venue_x',
        status: 'available',
        capabilities: ['trades', 'stream.trades', 'stream.raw'],
      },
      { provider: 'venue_x_bet', family: 'venue_x', status: 'planned', capabilities: [] },
      { provider: 'venue_y', family: 'venue_y', status: 'planned', capabilities: [] },
    ]);
  });

  it('has wallets and builders, and one wallet of the venue covers its providers', () => {
    const names = ['venue_x', 'venue_x_coin', 'venue_x_bet'];
    expect(names.map((name) => walletProvider(accountProviderSchema.parse(name)))).toEqual([
      'venue_x_coin',
      'venue_x_coin',
      'venue_x_bet',
    ]);
    expect(accountProviderSchema.safeParse('venue_y').success).toBe(false);
    expect(walletSchema.shape.provider.options).toContain('venue_x_bet');
    const covered = ['venue_x_coin', 'venue_x_bet', 'venue_b'].map((name) => covers('venue_x_coin' as never, name));
    expect(covered).toEqual([true, true, false]);
    expect(builderError('venue_x' as never, '0x0123abcd')).toBeNull();
    expect(builderError('venue_x' as never, '0x01')).toContain('0x and 8 hex characters for venue_x');
  });

  it('has channels of trades and raw channels, which its normaliser writes', () => {
    expect(parseChannel('svc:stream:trade:venue_x_coin')).not.toBeNull();
    expect(parseChannel('svc:stream:trade:venue_x_bet')).toBeNull();
    expect(TRADE_STREAM_PROVIDERS).toContain('venue_x_coin');
    const raw = parseChannel('svc:stream:venue_x_coin:ABC')!;
    expect(raw).toMatchObject({ writer: 'venue_x', instrument: 'ABC' });
    expect(formatChannel(raw)).toBe('svc:stream:venue_x_coin:ABC');
    expect(kindOf(raw)).toMatchObject({ delivering: true, summary: 'Frames of a coin of venue_x.' });
    expect(parseChannel('svc:stream:venue_x_coin:abc')).toBeNull();
    expect(parseChannel('svc:stream:venue_x_coin:*')).toBeNull();
    expect(channelsWithStatusOf('instrument', 'ABC').map(formatChannel)).toContain('svc:stream:venue_x_coin:ABC');
  });

  it('accepts the names of channels of a planned venue, on which nothing is written', () => {
    const raw = parseChannel('svc:stream:venue_y:ABC')!;
    expect(kindOf(raw)).toMatchObject({ delivering: false });
    expect(channelsWithStatusOf('instrument', 'ABC').map(formatChannel)).not.toContain('svc:stream:venue_y:ABC');
    expect(ALL_KINDS.filter(({ delivering }) => !delivering).map(({ example }) => formatChannel(example))).toEqual([
      'svc:stream:venue_c:TICKER',
      'svc:stream:venue_y:ABC',
    ]);
    expect(TOPICS.filter(({ name }) => name.includes('venue_y'))).toEqual([]);
  });

  it('has candles and views if it has prices, and knows questions by their spelling', () => {
    const read = [createCandlesStage(), VIEWS.books, VIEWS.coins].flatMap(({ inputs }) =>
      inputs.map(({ topic }) => topic.name),
    );
    expect(read.filter((name) => name.includes('venue_x'))).toEqual([
      'derived.trades.venue_x',
      'derived.books.venue_x',
      'derived.instruments.venue_x',
      'derived.contexts.venue_x',
    ]);
    expect([PRICE_PROVIDERS.has('venue_x_coin'), PRICE_PROVIDERS.has('venue_x_bet')]).toEqual([true, false]);
    const isQuestion: Readonly<Record<string, (instrument: string) => boolean>> = isQuestionInstrument;
    expect([isQuestion.venue_x!('#1'), isQuestion.venue_x!('ABC')]).toEqual([true, false]);
  });

  it('has targets of simulated faults', () => {
    expect([SOCKET_SOURCES.at(-1), HTTP_SOURCES.at(-1)]).toEqual(['venue_x.ws', 'venue_x.list']);
    const due = faultsBetween(1, ['disconnects', 'errors'], 0, 60_000);
    expect(new Set(due.map(({ target }) => target))).toContain('venue_x.ws');
  });
});
