import { describe, expect, it } from 'vitest';
import { streamUrlFor } from './stream-url.ts';

const location = { url: null, port: 8081 };

describe('the URL of the stream', () => {
  it.each([
    ['localhost:8080', 'ws://localhost:8081/v1/stream'],
    ['api.example', 'ws://api.example:8081/v1/stream'],
    ['[::1]:8080', 'ws://[::1]:8081/v1/stream'],
    ['user:password@api.example/path', 'ws://api.example:8081/v1/stream'],
  ])('is the requested host %s with the port of the gateway', (host, url) => {
    expect(streamUrlFor(location, { host, isSecure: false })).toBe(url);
    expect(streamUrlFor(location, { host, isSecure: true })).toBe(url.replace('ws:', 'wss:'));
  });

  it('is the setting, whatever the request was', () => {
    const url = 'wss://stream.example/v1/stream';
    expect(streamUrlFor({ url, port: 0 }, { host: 'api.example', isSecure: false })).toBe(url);
  });

  it('is the requested host and port if the setting is a path', () => {
    const behindProxy = { url: '/v1/stream', port: 8081 };
    const host = 'api.example:8443';
    expect(streamUrlFor(behindProxy, { host, isSecure: true })).toBe('wss://api.example:8443/v1/stream');
  });

  it('is unknown without a host, or while the system selects the port', () => {
    for (const host of ['', 'no host', 'a:b:c']) expect(streamUrlFor(location, { host, isSecure: false })).toBeNull();
    expect(streamUrlFor({ url: null, port: 0 }, { host: 'api.example', isSecure: false })).toBeNull();
  });
});
