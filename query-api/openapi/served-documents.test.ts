import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '#infra/config/version';
import { asyncApiDocument } from '#schemas/stream/asyncapi';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.app.close());

const request = (path: string) => app.request('GET', path);

describe('the documents for programs', () => {
  it.each(['/openapi', '/asyncapi'])('are the same as JSON and as YAML: %s', async (path) => {
    const [json, yaml] = [await request(`${path}.json`), await request(`${path}.yaml`)];
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect([yaml.status, yaml.headers['content-type']]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(parse(yaml.body)).toEqual(json.json());
  });

  it('contain that of the stream with the version of the service', async () => {
    expect((await request('/asyncapi.json')).json()).toEqual(asyncApiDocument(VERSION));
  });

  it.each(['/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml'])(
    'are read only and have no query parameters: %s',
    async (path) => {
      expect((await app.request('POST', path)).status).toBe(405);
      const refused = await request(`${path}?pretty=1`);
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('pretty: unknown query parameter');
    },
  );
});
