import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { ID_LENGTH_MAX, idPath } from './id-path.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

it.each([
  ['DELETE', '/keys'],
  ['DELETE', '/v1/me/wallets'],
  ['DELETE', '/v1/me/platform-attributions'],
  ['DELETE', '/v1/webhooks'],
  ['PATCH', '/v1/webhooks'],
  ['PATCH', '/v1/organizations'],
  ['DELETE', '/v1/organizations'],
])('%s %s answers 404 for an id that is too long, without sending a command', async (method, path) => {
  const before = (await service.commands()).length;
  const ask = (length: number) =>
    service.request(method, `${path}/${'x'.repeat(length)}`, method === 'PATCH' ? { body: {} } : {});
  for (const length of [ID_LENGTH_MAX + 1, 4_000]) {
    const { status, body } = await ask(length);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  }
  expect(await service.commands()).toHaveLength(before);
  const unknown = await ask(ID_LENGTH_MAX);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
});

it('idPath accepts an id of the maximum length', () => {
  expect(idPath.parse({ id: 'x'.repeat(ID_LENGTH_MAX) })).toEqual({ id: 'x'.repeat(ID_LENGTH_MAX) });
});
