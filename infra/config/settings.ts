/**
 * Every setting of Parallax. `--help`, the README's table and the error for an invalid value are generated from this
 * list.
 */
import { statSync } from 'node:fs';
import { parseQuotas } from '#schemas/domain/quota/plan-quotas';
import {
  RECORDED_SETTING_ENTRIES,
  type RecordedSetting,
  type RecordedSettings,
} from '#schemas/domain/recorded-settings';
import { UPSTREAMS, type UpstreamSetting } from '#schemas/venues/streams';
import {
  choiceListSetting,
  choiceSetting,
  decimalSetting,
  integerSetting,
  parsedSetting,
  positiveDecimalSetting,
  readSettings,
  type Setting,
  SettingError,
  switchSetting,
  textSetting,
  urlSetting,
} from './declare.ts';
import { LOG_SETTINGS, STORE_SETTINGS } from './port-settings.ts';

/** More days than the external exchange has klines of. */
export const BACKFILL_DAYS_MAX = 3_650;

const ROLES = ['ingest', 'processors', 'query-api', 'stream-gateway'] as const;

/** A setting for each URL of a venue. */
const upstreamSettings = Object.fromEntries(
  Object.values(UPSTREAMS).map(({ setting, variable, protocols, description }) => [
    setting,
    urlSetting({
      variable,
      schemes: protocols.flatMap((protocol) => [protocol, `${protocol}s`]),
      fallback: null,
      description: `${description} Its default depends on --venues.`,
    }),
  ]),
) as Record<UpstreamSetting, Setting<string | null>>;

/** The settings that change figures. */
export const recordedSettings = Object.fromEntries(
  RECORDED_SETTING_ENTRIES.map(([name, declaration]) => [
    name,
    declaration.kind === 'integer'
      ? integerSetting(declaration)
      : declaration.kind === 'decimal'
        ? decimalSetting(declaration)
        : positiveDecimalSetting(declaration),
  ]),
) as { readonly [Name in RecordedSetting]: Setting<RecordedSettings[Name]> };

export const SETTINGS = {
  httpPort: integerSetting({
    flag: 'http-port',
    variable: 'PARALLAX_HTTP_PORT',
    fallback: 8080,
    min: 0,
    max: 65535,
    description: 'Port of REST, /openapi.json and /metrics; 0 selects a free one.',
  }),
  wsPort: integerSetting({
    flag: 'ws-port',
    variable: 'PARALLAX_WS_PORT',
    fallback: 8081,
    min: 0,
    max: 65535,
    description: 'Port of the WebSocket gateway (/v1/stream); 0 selects a free one.',
  }),
  host: textSetting({
    flag: 'host',
    variable: 'PARALLAX_HOST',
    fallback: '127.0.0.1',
    accepts: 'an address or host name',
    pattern: /^[\w.:-]+$/,
    description: 'Address that REST and the WebSocket gateway listen on.',
  }),
  ...LOG_SETTINGS,
  ...STORE_SETTINGS,
  venues: textSetting({
    flag: 'venues',
    variable: 'PARALLAX_VENUES',
    fallback: 'sim',
    accepts: 'sim, live, recording:<folder>',
    pattern: /^(sim|live|recording:.+)$/,
    description:
      'Source of venue frames: the bundled simulator (another one where the URLs of all upstreams are set), the public endpoints, or recorded frames.',
  }),
  speed: decimalSetting({
    flag: 'speed',
    variable: 'PARALLAX_SPEED',
    fallback: '0',
    description: 'Speed of playback: 1 is the original speed, 0 is as fast as the log accepts.',
  }),
  roles: choiceListSetting({
    flag: 'roles',
    variable: 'PARALLAX_ROLES',
    fallback: ROLES,
    words: ROLES,
    description: 'Roles that this process runs.',
  }),
  adminToken: textSetting({
    variable: 'PARALLAX_ADMIN_TOKEN',
    fallback: null,
    accepts: 'plx_live_<uuid>.<43 characters of base64url>',
    pattern: /^plx_live_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w-]{43}$/,
    description:
      "Token of the first organization's admin key; without it one is generated and printed once at the first start.",
    secret: true,
  }),
  plan: choiceSetting({
    variable: 'PARALLAX_PLAN',
    fallback: 'enterprise',
    words: ['free', 'pro', 'enterprise'],
    description: 'Plan of the first organization.',
  }),
  simRate: integerSetting({
    flag: 'sim-rate',
    variable: 'PARALLAX_SIM_RATE',
    fallback: 200,
    min: 1,
    max: 20_000,
    description:
      'Simulator: events a second. Another rate has other trades, so that on an existing data directory closed bars of the simulated venues may change.',
  }),
  simSeed: integerSetting({
    flag: 'sim-seed',
    variable: 'PARALLAX_SIM_SEED',
    fallback: 1,
    min: 0,
    max: 4_294_967_295,
    description: 'Simulator: seed of its random numbers.',
  }),
  simEvents: integerSetting({
    flag: 'sim-events',
    variable: 'PARALLAX_SIM_EVENTS',
    fallback: 20,
    min: 1,
    max: 10_000,
    description: 'Simulator: universal events.',
  }),
  simCoins: integerSetting({
    flag: 'sim-coins',
    variable: 'PARALLAX_SIM_COINS',
    fallback: 50,
    min: 3,
    max: 1_000,
    description: 'Simulator: coins; the first are BTC, ETH and SOL.',
  }),
  simTraders: integerSetting({
    flag: 'sim-traders',
    variable: 'PARALLAX_SIM_TRADERS',
    fallback: 5_000,
    min: 1,
    max: 100_000,
    description: "Simulator: traders on venue_a's leaderboard.",
  }),
  simAccounts: integerSetting({
    flag: 'sim-accounts',
    variable: 'PARALLAX_SIM_ACCOUNTS',
    fallback: 400,
    min: 2,
    max: 5_000,
    description: 'Simulator: accounts that trade on both venues; `GET /truth` of the simulator lists them.',
  }),
  simMinuteMs: integerSetting({
    flag: 'sim-minute-ms',
    variable: 'PARALLAX_SIM_MINUTE_MS',
    fallback: 60_000,
    min: 1_000,
    max: 60_000,
    description:
      "Simulator: length of the minute over which venue_a's limits count, ms; ingest counts with it, too. For tests.",
  }),
  simFaults: choiceListSetting({
    flag: 'sim-faults',
    variable: 'PARALLAX_SIM_FAULTS',
    fallback: [],
    words: [
      'disconnects',
      'refusals',
      'silence',
      'malformed',
      'duplicates',
      'reorgs',
      'errors',
      'rate-limits',
      'slow',
      'export-cut-off',
      'node-stale',
    ],
    description: 'Simulator: faults that it injects.',
  }),
  retentionGib: integerSetting({
    variable: 'PARALLAX_RETENTION_GIB',
    fallback: 100,
    min: 1,
    max: 1_000_000,
    description:
      'GiB that all raw topics together may use in the embedded log; the oldest records are removed first. Without effect on Kafka: there an operator may set retention.bytes on a topic, which is not changed.',
  }),
  ...recordedSettings,
  venueBLookbackBlocks: integerSetting({
    variable: 'PARALLAX_VENUE_B_LOOKBACK_BLOCKS',
    fallback: 0,
    min: 0,
    max: 10_000_000,
    description: 'Blocks below the head of the chain at which the first start over JSON-RPC begins.',
  }),
  venueACoins: textSetting({
    variable: 'PARALLAX_VENUE_A_BOOK_COINS',
    fallback: '50',
    accepts: 'a number of coins, or a comma-separated list of coins',
    pattern: /^[\w:@#+/,-]+$/,
    description:
      'venue_a coins whose books are followed in addition to outcome coins: that many of the largest perpetuals, pairs and contracts, or the listed ones.',
  }),
  venueANodeUrl: urlSetting({
    variable: 'PARALLAX_VENUE_A_NODE_URL',
    schemes: ['http', 'https'],
    fallback: null,
    description: 'Base of a self-hosted node of venue_a; requests that it supports go to it first.',
  }),
  venueANodeData: textSetting({
    variable: 'PARALLAX_VENUE_A_NODE_DATA',
    fallback: null,
    accepts: 'a folder that exists',
    pattern: /^.+$/,
    description: 'Output folder of a self-hosted node of venue_a, whose files of fills ingest follows.',
  }),
  leaderboardMinutes: textSetting({
    variable: 'PARALLAX_LEADERBOARD_MINUTES',
    fallback: '60',
    accepts: 'a number of minutes from 0.1 to 9999, such as 60 or 0.5',
    pattern: /^(?:[1-9]\d{0,3}(?:\.\d{1,6})?|0\.[1-9]\d{0,5})$/,
    description: "Minutes between two fetches of venue_a's leaderboard.",
  }),
  backfillCandlesDays: integerSetting({
    variable: 'PARALLAX_BACKFILL_CANDLES_DAYS',
    fallback: 0,
    min: 0,
    max: BACKFILL_DAYS_MAX,
    description: 'Days of klines that ingest loads from the external exchange in the background; 0 loads none.',
  }),
  streamUrl: textSetting({
    variable: 'PARALLAX_STREAM_URL',
    fallback: null,
    accepts: 'a URL such as wss://stream.example.com/v1/stream, or /v1/stream for the host and port of the request',
    pattern: /^(wss?:\/\/[^\s/?#@]+)?\/v1\/stream$/,
    description:
      'URL of the stream as browsers reach it, which GET /v1/session returns; by default the host of the request with the port of --ws-port.',
  }),
  maxSocketsPerKey: integerSetting({
    variable: 'PARALLAX_MAX_SOCKETS_PER_KEY',
    fallback: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Limit of open WebSocket connections of one key.',
  }),
  webhookSchedule: textSetting({
    variable: 'PARALLAX_WEBHOOK_SCHEDULE',
    fallback: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    accepts: 'a comma-separated list of 1 to 20 numbers of seconds, each below 1000000',
    pattern: /^\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){0,19}$/,
    description: 'Seconds before each attempt to deliver a webhook, the first one included.',
  }),
  webhookTimeoutMs: integerSetting({
    variable: 'PARALLAX_WEBHOOK_TIMEOUT_MS',
    fallback: 15_000,
    min: 1,
    max: 60_000,
    description: 'Milliseconds that an attempt to deliver a webhook may take.',
  }),
  webhookAllowLoopback: switchSetting({
    variable: 'PARALLAX_WEBHOOK_ALLOW_LOOPBACK',
    fallback: false,
    description: 'For tests only: webhook targets may be plain HTTP on loopback.',
  }),
  quotas: parsedSetting({
    variable: 'PARALLAX_QUOTAS',
    fallback: '{}',
    accepts:
      'JSON of integers, or null for unlimited, by plan, SKU and window, such as {"free":{"markets.read":{"minute":60,"day":5000}}}',
    parse: parseQuotas,
    description: 'Changes to the quotas of plans; quotas that are not named keep their defaults.',
  }),
  corsOrigins: textSetting({
    variable: 'PARALLAX_CORS_ORIGINS',
    fallback: null,
    accepts: 'a comma-separated list of origins, or *',
    pattern: /^(\*|https?:\/\/[^,]+(,https?:\/\/[^,]+)*)$/,
    description: 'Origins whose pages may call the REST API.',
  }),
  portal: switchSetting({
    variable: 'PARALLAX_PORTAL',
    fallback: true,
    description: 'Serves the portal and the documents (/docs); off answers 404 there.',
  }),
  node: textSetting({
    variable: 'PARALLAX_NODE',
    fallback: null,
    accepts: 'A-Z, a-z, 0-9, dots, hyphens and underscores',
    pattern: /^[\w.-]+$/,
    description: 'Name of this process in metrics; by default the host name and 4 random characters.',
  }),
  logLevel: choiceSetting({
    flag: 'log-level',
    variable: 'PARALLAX_LOG_LEVEL',
    fallback: 'info',
    words: ['debug', 'info', 'warn', 'error', 'silent'],
    description: 'Lowest severity that is logged, on standard error: lines of JSON, on a terminal lines for people.',
  }),
  ...upstreamSettings,
};

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whatever the reason, ingest could not read it.
    return false;
  }
}

export type Settings = ReturnType<typeof loadSettings>;

/** Reads the settings and checks their combinations; throws a `SettingError` of one line. */
export function loadSettings(argv: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const { values, positionals } = readSettings(SETTINGS, argv, environment);
  if (positionals.length > 0)
    throw new SettingError(`unexpected argument ${JSON.stringify(positionals[0])}; --help lists every setting`);
  if (values.roles.length === 0) throw new SettingError(`--roles cannot be empty; accepted: ${SETTINGS.roles.accepts}`);
  const remoteLog = values.log !== 'embedded';
  const remoteStore = values.store !== 'embedded';
  if (remoteLog && !values.schemaRegistry)
    throw new SettingError(
      '--schema-registry is required with --log kafka://…; accepted: a URL beginning with http:// or https://',
    );
  if (values.roles.length < ROLES.length && !(remoteLog && remoteStore))
    throw new SettingError(
      '--roles cannot be a subset with an embedded log or store; accepted: all, or --log kafka://… with --store http(s)://…',
    );
  const { venueANodeData } = values;
  if (venueANodeData !== null && values.roles.includes('ingest') && !isFolder(venueANodeData))
    throw new SettingError(
      `${SETTINGS.venueANodeData.variable} cannot be ${JSON.stringify(venueANodeData)}; accepted: ${SETTINGS.venueANodeData.accepts}`,
    );
  return values;
}
