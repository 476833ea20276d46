/** Every setting of Parallax. `--help`, the README's table and the error for a bad value are made from this list. */
import { readQuotas } from '#schemas/domain/quota/plan-quotas';
import {
  addressSetting,
  decimalSetting,
  integerSetting,
  parsedSetting,
  positiveDecimalSetting,
  readSettings,
  SettingError,
  switchSetting,
  textSetting,
  wordSetting,
  wordsSetting,
} from './declare.ts';

export const ROLES = ['ingest', 'processors', 'query-api', 'stream-gateway'] as const;
export type Role = (typeof ROLES)[number];

const upstream = (variable: string, schemes: readonly string[], meaning: string) =>
  addressSetting({ variable, schemes, fallback: null, meaning: `${meaning} By default as --venues says.` });

export const SETTINGS = {
  httpPort: integerSetting({
    flag: 'http-port',
    variable: 'PARALLAX_HTTP_PORT',
    fallback: 8080,
    min: 0,
    max: 65535,
    meaning: 'Port of REST, /openapi.json and /metrics; 0 takes a free one.',
  }),
  wsPort: integerSetting({
    flag: 'ws-port',
    variable: 'PARALLAX_WS_PORT',
    fallback: 8081,
    min: 0,
    max: 65535,
    meaning: 'Port of the WebSocket gateway (/v1/stream); 0 takes a free one.',
  }),
  host: textSetting({
    flag: 'host',
    variable: 'PARALLAX_HOST',
    fallback: '127.0.0.1',
    accepts: 'an address or host name',
    pattern: /^[\w.:-]+$/,
    meaning: 'Address that both listen on.',
  }),
  dataDir: textSetting({
    flag: 'data-dir',
    variable: 'PARALLAX_DATA_DIR',
    fallback: './.parallax',
    accepts: 'a folder',
    pattern: /^.+$/,
    meaning: 'Embedded log and store.',
  }),
  venues: textSetting({
    flag: 'venues',
    variable: 'PARALLAX_VENUES',
    fallback: 'sim',
    accepts: 'sim, live, recording:<folder>',
    pattern: /^(sim|live|recording:.+)$/,
    meaning: 'Where frames come from: the bundled simulator, the public endpoints, or recorded frames.',
  }),
  speed: decimalSetting({
    flag: 'speed',
    variable: 'PARALLAX_SPEED',
    fallback: '0',
    meaning: 'Pace of a recording: 1 as it happened, 0 as fast as the log takes it.',
  }),
  roles: wordsSetting({
    flag: 'roles',
    variable: 'PARALLAX_ROLES',
    fallback: ROLES,
    words: ROLES,
    meaning: 'Which parts of the program this process runs.',
  }),
  log: textSetting({
    flag: 'log',
    variable: 'PARALLAX_LOG',
    fallback: 'embedded',
    accepts: 'embedded, kafka://host:port[,host:port]',
    pattern: /^(embedded|kafka:\/\/[\w.-]+:\d+(,[\w.-]+:\d+)*)$/,
    meaning: 'The event log.',
  }),
  store: textSetting({
    flag: 'store',
    variable: 'PARALLAX_STORE',
    fallback: 'embedded',
    accepts: 'embedded, http(s)://user:pass@host:port/database',
    pattern: /^(embedded|https?:\/\/.+)$/,
    meaning: 'The columnar store.',
    secret: true,
  }),
  schemaRegistry: addressSetting({
    flag: 'schema-registry',
    variable: 'PARALLAX_SCHEMA_REGISTRY',
    fallback: null,
    schemes: ['http', 'https'],
    meaning: 'Base address of a Confluent-compatible schema registry; required with --log kafka://….',
  }),
  adminToken: textSetting({
    variable: 'PARALLAX_ADMIN_TOKEN',
    fallback: null,
    accepts: 'plx_live_<uuid>.<43 characters of base64url>',
    pattern: /^plx_live_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w-]{43}$/,
    meaning: "Seeds the first organization's admin key; made and printed once on first start when not given.",
    secret: true,
  }),
  plan: wordSetting({
    variable: 'PARALLAX_PLAN',
    fallback: 'enterprise',
    words: ['free', 'pro', 'enterprise'],
    meaning: 'Plan of the first organization.',
  }),
  simRate: integerSetting({
    flag: 'sim-rate',
    variable: 'PARALLAX_SIM_RATE',
    fallback: 200,
    min: 1,
    max: 20_000,
    meaning: 'Simulator: events a second.',
  }),
  simSeed: integerSetting({
    flag: 'sim-seed',
    variable: 'PARALLAX_SIM_SEED',
    fallback: 1,
    min: 0,
    max: 4_294_967_295,
    meaning: 'Simulator: seed of its world.',
  }),
  simEvents: integerSetting({
    flag: 'sim-events',
    variable: 'PARALLAX_SIM_EVENTS',
    fallback: 20,
    min: 1,
    max: 10_000,
    meaning: 'Simulator: universal events.',
  }),
  simCoins: integerSetting({
    flag: 'sim-coins',
    variable: 'PARALLAX_SIM_COINS',
    fallback: 50,
    min: 3,
    max: 400,
    meaning: 'Simulator: coins; the first are BTC, ETH and SOL.',
  }),
  simFaults: wordsSetting({
    flag: 'sim-faults',
    variable: 'PARALLAX_SIM_FAULTS',
    fallback: [],
    words: ['disconnects', 'silence', 'malformed', 'duplicates', 'reorgs', 'errors', 'rate-limits', 'slow'],
    meaning: 'Simulator: faults that it makes by itself.',
  }),
  retentionDays: integerSetting({
    variable: 'PARALLAX_RETENTION_DAYS',
    fallback: 30,
    min: 1,
    max: 36_500,
    meaning: 'Days that raw topics are kept.',
  }),
  retentionGib: integerSetting({
    variable: 'PARALLAX_RETENTION_GIB',
    fallback: 100,
    min: 1,
    max: 1_000_000,
    meaning:
      'GiB that all raw topics together may take in the embedded log; the oldest go first. On Kafka without effect: there an operator may set retention.bytes on a topic, which stays.',
  }),
  arbitrageSize: positiveDecimalSetting({
    variable: 'PARALLAX_ARBITRAGE_SIZE',
    fallback: '100',
    meaning: 'Shares that arbitrage is quoted for.',
  }),
  anomalyZ: positiveDecimalSetting({
    variable: 'PARALLAX_ANOMALY_Z',
    fallback: '6',
    meaning: 'Standard deviations above its baseline from which on a value is told as an anomaly.',
  }),
  venueAOutcomeTakerFee: decimalSetting({
    variable: 'PARALLAX_VENUE_A_OUTCOME_TAKER_FEE',
    fallback: '0.0007',
    meaning: "venue_a_outcome's taker fee rate.",
  }),
  venueBConfirmations: integerSetting({
    variable: 'PARALLAX_VENUE_B_CONFIRMATIONS',
    fallback: 64,
    min: 1,
    max: 10_000,
    meaning: 'Blocks above a venue_b trade that make it confirmed.',
  }),
  venueBLookbackBlocks: integerSetting({
    variable: 'PARALLAX_VENUE_B_LOOKBACK_BLOCKS',
    fallback: 0,
    min: 0,
    max: 10_000_000,
    meaning: 'Blocks below the head at which a first start over JSON-RPC begins.',
  }),
  venueACoins: textSetting({
    variable: 'PARALLAX_VENUE_A_BOOK_COINS',
    fallback: '50',
    accepts: 'a number of coins, or a comma list of coins',
    pattern: /^[\w:@#+/,-]+$/,
    meaning: 'Whose venue_a books are watched beside those of outcome coins: so many of the largest, or these.',
  }),
  maxSocketsPerKey: integerSetting({
    variable: 'PARALLAX_MAX_SOCKETS_PER_KEY',
    fallback: 1000,
    min: 1,
    max: 1_000_000,
    meaning: 'Open WebSocket connections of one key.',
  }),
  webhookSchedule: textSetting({
    variable: 'PARALLAX_WEBHOOK_SCHEDULE',
    fallback: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    accepts: 'a comma list of 1 to 20 numbers of seconds, each below 1000000',
    pattern: /^\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){0,19}$/,
    meaning: 'Seconds before each attempt to deliver a webhook, the first one included.',
  }),
  webhookTimeoutMs: integerSetting({
    variable: 'PARALLAX_WEBHOOK_TIMEOUT_MS',
    fallback: 15_000,
    min: 1,
    max: 60_000,
    meaning: 'Milliseconds that an attempt to deliver a webhook may take.',
  }),
  webhookAllowLoopback: switchSetting({
    variable: 'PARALLAX_WEBHOOK_ALLOW_LOOPBACK',
    fallback: false,
    meaning: 'For tests only: webhook targets may be plain HTTP on loopback.',
  }),
  quotas: parsedSetting({
    variable: 'PARALLAX_QUOTAS',
    fallback: '{}',
    accepts:
      'JSON of whole numbers or null for unlimited by plan, SKU and window, as {"free":{"markets.read":{"minute":60,"day":5000}}}',
    parse: readQuotas,
    meaning: 'Parts of the quotas of plans that are to be others; what is not named stays.',
  }),
  corsOrigins: textSetting({
    variable: 'PARALLAX_CORS_ORIGINS',
    fallback: null,
    accepts: 'a comma list of origins, or *',
    pattern: /^(\*|https?:\/\/[^,]+(,https?:\/\/[^,]+)*)$/,
    meaning: 'Origins whose pages may call the REST API.',
  }),
  logLevel: wordSetting({
    flag: 'log-level',
    variable: 'PARALLAX_LOG_LEVEL',
    fallback: 'info',
    words: ['debug', 'info', 'warn', 'error', 'silent'],
    meaning: 'Least severity of a log line; lines are JSON on standard error.',
  }),
  venueAApiUrl: upstream('PARALLAX_VENUE_A_API_URL', ['http', 'https'], 'venue_a REST base.'),
  venueAWsUrl: upstream('PARALLAX_VENUE_A_WS_URL', ['ws', 'wss'], 'venue_a WebSocket.'),
  venueAStatsUrl: upstream('PARALLAX_VENUE_A_STATS_URL', ['http', 'https'], 'venue_a stats exports.'),
  venueBGammaUrl: upstream('PARALLAX_VENUE_B_GAMMA_URL', ['http', 'https'], 'venue_b catalog.'),
  venueBClobUrl: upstream('PARALLAX_VENUE_B_CLOB_URL', ['http', 'https'], 'venue_b books and markets.'),
  venueBClobWsUrl: upstream('PARALLAX_VENUE_B_CLOB_WS_URL', ['ws', 'wss'], 'venue_b book stream.'),
  venueBDataUrl: upstream('PARALLAX_VENUE_B_DATA_URL', ['http', 'https'], 'venue_b accounts.'),
  venueBPnlUrl: upstream(
    'PARALLAX_VENUE_B_PNL_URL',
    ['http', 'https'],
    'venue_b PnL series, the full path of its route.',
  ),
  venueBRpcUrl: upstream('PARALLAX_VENUE_B_RPC_URL', ['http', 'https', 'ws', 'wss'], 'venue_b chain JSON-RPC.'),
};

export type Settings = ReturnType<typeof loadSettings>;

/** Reads and checks the settings as a whole; throws a `SettingError` with one clear line. */
export function loadSettings(argv: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const { values, rest } = readSettings(SETTINGS, argv, environment);
  if (rest.length > 0)
    throw new SettingError(`unexpected argument ${JSON.stringify(rest[0])}; --help lists every setting`);
  if (values.roles.length === 0) throw new SettingError(`--roles cannot be empty; accepted: ${SETTINGS.roles.accepts}`);
  const remoteLog = values.log !== 'embedded';
  const remoteStore = values.store !== 'embedded';
  if (remoteLog && !values.schemaRegistry)
    throw new SettingError(
      '--schema-registry is required with --log kafka://…; accepted: an address beginning with http:// or https://',
    );
  if (values.roles.length < ROLES.length && !(remoteLog && remoteStore))
    throw new SettingError(
      '--roles cannot be a subset with an embedded log or store; accepted: all, or --log kafka://… with --store http(s)://…',
    );
  return values;
}
