import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { SettingError } from './declare.ts';
import { loadSettings, SETTINGS } from './settings.ts';

const quotasOf = (text: string) => loadSettings([], { PARALLAX_QUOTAS: text }).quotas;

describe('PARALLAX_QUOTAS', () => {
  it('changes the quotas that it names and no others', () => {
    expect(loadSettings([], {}).quotas).toEqual(DEFAULT_QUOTAS);
    const { free, pro } = quotasOf('{"free":{"markets.read":{"minute":7}}}');
    expect(free['markets.read']).toEqual({ minute: 7, day: DEFAULT_QUOTAS.free['markets.read'].day });
    expect(pro).toEqual(DEFAULT_QUOTAS.pro);
  });

  it.each([
    ['{', /^PARALLAX_QUOTAS is invalid: [^;]+; accepted: JSON /],
    ['{"free":{"markets.read":{"minute":-1}}}', /^PARALLAX_QUOTAS .*free\.markets\.read\.minute/],
    ['{"free":{"markets.read":{"hour":1}}}', /^PARALLAX_QUOTAS .*free\.markets\.read/],
    ['{"gold":{}}', /^PARALLAX_QUOTAS /],
  ])('is refused with one line that names the invalid part: %s', (text, message) => {
    expect(() => quotasOf(text)).toThrow(SettingError);
    expect(() => quotasOf(text)).toThrow(message);
  });
});

describe('PARALLAX_ARBITRAGE_SIZE', () => {
  it.each(['0.5', '100', '0010'])('accepts %s', (text) => {
    expect(loadSettings([], { PARALLAX_ARBITRAGE_SIZE: text }).arbitrageSize).toBe(text);
  });

  it.each(['0', '0.00', '-1', '1e3', ''])('refuses %j', (text) => {
    expect(() => loadSettings([], { PARALLAX_ARBITRAGE_SIZE: text })).toThrow(SettingError);
  });
});

describe('PARALLAX_LEADERBOARD_MINUTES', () => {
  it.each(['0.1', '0.5', '60', '9999.5'])('accepts %s', (text) => {
    expect(loadSettings([], { PARALLAX_LEADERBOARD_MINUTES: text }).leaderboardMinutes).toBe(text);
  });

  it.each(['0', '0.05', '0.0', '-1', '1e3', '10000', ''])('refuses %j', (text) => {
    expect(() => loadSettings([], { PARALLAX_LEADERBOARD_MINUTES: text })).toThrow(SettingError);
  });
});

describe('a secret in a file', () => {
  const SECRET = 'a-secret-of-the-tests';
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-settings-'));
    file = join(folder, 'password');
    writeFileSync(file, `${SECRET}\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is read without the newline at its end', () => {
    expect(loadSettings([], { PARALLAX_STORE_PASSWORD_FILE: file }).storePassword).toBe(SECRET);
  });

  it('of a URL with a percent sign that encodes nothing is refused without being repeated', () => {
    for (const name of ['PARALLAX_STORE', 'PARALLAX_SCHEMA_REGISTRY', 'PARALLAX_VENUE_A_API_URL']) {
      const load = () => loadSettings([], { [name]: 'http://me:s3cret%of@host:1/db' });
      expect(load, name).toThrow(name);
      if (name !== 'PARALLAX_VENUE_A_API_URL')
        expect(load).toThrow(expect.objectContaining({ message: expect.not.stringContaining('s3cret') }));
    }
  });

  it('is accepted for secrets only', () => {
    expect(loadSettings([], { PARALLAX_HOST_FILE: file }).host).toBe(SETTINGS.host.fallback);
  });

  it.each([
    [
      'together with its variable',
      { PARALLAX_STORE_PASSWORD: 'x' },
      /^PARALLAX_STORE_PASSWORD and PARALLAX_STORE_PASSWORD_FILE are both set/,
    ],
    [
      'that does not exist',
      { PARALLAX_STORE_PASSWORD_FILE: '/missing' },
      /^PARALLAX_STORE_PASSWORD_FILE cannot be read \(ENOENT\): \/missing; accepted/,
    ],
  ])('is refused %s', (_, environment, message) => {
    const reading = () => loadSettings([], { PARALLAX_STORE_PASSWORD_FILE: file, ...environment });
    expect(reading).toThrow(SettingError);
    expect(reading).toThrow(message);
  });

  it('is not shown when it is invalid', () => {
    const reading = () => loadSettings([], { PARALLAX_ADMIN_TOKEN_FILE: file });
    expect(reading).toThrow(/^PARALLAX_ADMIN_TOKEN_FILE has an invalid value; accepted: plx_live_/);
    expect(reading).not.toThrow(SECRET);
  });
});

describe('PARALLAX_VENUE_A_NODE_DATA', () => {
  const load = (folder: string, flags: string[] = []) => loadSettings(flags, { PARALLAX_VENUE_A_NODE_DATA: folder });

  it('is a folder that exists', () => {
    expect(load('/').venueANodeData).toBe('/');
    for (const path of ['/no/such/folder', '/etc/passwd', '/etc/passwd/file'])
      expect(() => load(path)).toThrow(
        `PARALLAX_VENUE_A_NODE_DATA cannot be "${path}"; accepted: a folder that exists`,
      );
  });

  it('need not exist where ingest does not run', () => {
    const others = [
      '--roles',
      'query-api',
      '--log',
      'kafka://a:1',
      '--schema-registry',
      'http://a',
      '--store',
      'http://a/b',
    ];
    expect(load('/no/such/folder', others).venueANodeData).toBe('/no/such/folder');
  });
});
