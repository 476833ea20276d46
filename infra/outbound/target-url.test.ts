import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateAddress } from './address-policy.ts';
import {
  asUrls,
  embeddingsOf,
  hostileUrls,
  notationsOf,
  PUBLIC_ADDRESSES,
  partsOf,
  RADICES,
  REFUSED_HOSTS,
} from './hostile-targets.fixture.ts';
import { evaluateTargetUrl } from './target-url.ts';

const targetOf = (url: string, allowLoopback = false) => {
  const verdict = evaluateTargetUrl(url, { allowLoopback });
  if (!verdict.ok) throw new Error(`${url}: ${verdict.message}`);
  return verdict.target;
};
const isTarget = (url: string, allowLoopback = false) => evaluateTargetUrl(url, { allowLoopback }).ok;

describe('the evaluation of a target URL', () => {
  it('refuses every hostile URL with a message that names the field but not its value', () => {
    const wrong = hostileUrls(8443).filter((url) => {
      const verdict = evaluateTargetUrl(url);
      return verdict.ok || !/^url: [a-z]/.test(verdict.message) || verdict.message.includes('secret');
    });
    expect(wrong).toEqual([]);
  });

  it('reads every notation of an address as that address', () => {
    const wrong = notationsOf('93.184.215.14').filter((host) => targetOf(`https://${host}/`).host !== '93.184.215.14');
    expect(wrong).toEqual([]);
    expect(notationsOf('93.184.215.14').length).toBeGreaterThan(30);
  });

  it('evaluates an IPv4 address equally in every notation', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const address = fc
      .tuple(fc.oneof(octet, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 224)), octet, octet, octet)
      .map((octets) => octets.join('.'));
    const radices = fc.array(fc.constantFrom(...RADICES), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(address, fc.integer({ min: 1, max: 4 }), radices, fc.boolean(), (plain, count, writers, dot) => {
        const host = partsOf(plain, count)
          .map((part, index) => writers[index]!(part))
          .join('.');
        const verdict = evaluateTargetUrl(`https://${host}${dot ? '.' : ''}/`);
        expect(verdict.ok).toBe(evaluateAddress(plain).allowed);
        if (verdict.ok) expect(verdict.target.host).toBe(plain);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/', 'hooks.example.com', 443, '/'],
    ['HTTPS://Hooks.Example.COM:443/a?b=c#d', 'https://hooks.example.com/a?b=c', 'hooks.example.com', 443, '/a?b=c'],
    ['https://hooks.example.com.:8443/', 'https://hooks.example.com:8443/', 'hooks.example.com', 8443, '/'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example', 443, '/%C3%BC'],
    ['https://a_b.example.com/@x', 'https://a_b.example.com/@x', 'a_b.example.com', 443, '/@x'],
    ['https://[2606:4700:0::1111]:1024/', 'https://[2606:4700::1111]:1024/', '2606:4700::1111', 1024, '/'],
    ['https://8.8.8.8:65535/?a@b', 'https://8.8.8.8:65535/?a@b', '8.8.8.8', 65_535, '/?a@b'],
  ])('parses %s', (url, href, host, port, path) => {
    expect(targetOf(url)).toMatchObject({ href, host, port, path, secure: true, reach: 'public' });
    expect(targetOf(href).href).toBe(href);
  });

  it('accepts characters of all scripts, also in repeated evaluations', () => {
    const answers = Array.from({ length: 20_000 }, () => evaluateTargetUrl('https://bücher.example/ü').ok);
    expect(answers.filter((ok) => !ok)).toHaveLength(0);
  });

  it('accepts public addresses', () => {
    const hosts = PUBLIC_ADDRESSES.map((address) => (address.includes(':') ? `[${address}]` : address));
    expect(asUrls(hosts, 443).filter((url) => !isTarget(url))).toEqual([]);
  });

  it('explains in the message what is wrong', () => {
    const messages = ['http://a.example.com/', 'https://a:b@c.example.com/', 'https://10.1/', 'https://a.local/'].map(
      (url) => evaluateTargetUrl(url),
    );
    expect(messages).toEqual(
      [
        'url: must be an https URL',
        'url: must hold no credentials',
        'url: the address may never be reached (private)',
        'url: names of the local machine or network may never be reached',
      ].map((message) => ({ ok: false, message })),
    );
  });

  it('limits the length before and after encoding', () => {
    const long = (count: number, of: string) => `https://hooks.example.com/${of.repeat(count)}`;
    expect(isTarget(long(2_048 - 26, 'a'))).toBe(true);
    expect(isTarget(long(2_048 - 25, 'a'))).toBe(false);
    expect(isTarget(long(400, 'ü'))).toBe(false);
  });
});

describe('with loopback allowed', () => {
  it.each(['http://localhost:3000/', 'https://localhost:3000/', 'http://127.0.0.2:3000/', 'http://[::1]:3000/'])(
    'accepts %s',
    (url) => expect(targetOf(url, true).reach).toBe('loopback'),
  );

  it.each(['http://localhost:22/', 'http://localhost/', 'http://a:b@localhost:3000/', 'http://a.localhost:3000/'])(
    'still refuses %s',
    (url) => expect(isTarget(url, true)).toBe(false),
  );

  it('still refuses plain http elsewhere, other private addresses and loopback inside IPv6', () => {
    const urls = [
      'http://hooks.example.com:3000/',
      'http://8.8.8.8:3000/',
      ...asUrls([...notationsOf('10.0.0.1'), ...notationsOf('169.254.169.254'), ...notationsOf('0.0.0.0')], 3000),
      ...asUrls(embeddingsOf('127.0.0.1'), 3000),
      ...asUrls(
        REFUSED_HOSTS.filter((host) => host.includes('.')).filter((host) => host !== 'localhost.'),
        3000,
      ),
    ];
    expect(urls.filter((url) => isTarget(url, true))).toEqual([]);
  });
});
