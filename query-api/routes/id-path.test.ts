import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';
import { ID_LENGTH_MAX, idPath } from './id-path.ts';

let world: AppWorld;
beforeAll(async () => {
  world = await openAppWorld();
});
afterAll(() => world.close());

it.each([
  ['DELETE', '/keys'],
  ['DELETE', '/v1/me/wallets'],
  ['DELETE', '/v1/me/platform-attributions'],
  ['DELETE', '/v1/webhooks'],
  ['PATCH', '/v1/webhooks'],
  ['PATCH', '/v1/organizations'],
  ['DELETE', '/v1/organizations'],
])('%s %s of an id that is too long is not found, and no command says so', async (method, path) => {
  const before = (await world.commands()).length;
  const ask = (length: number) =>
    world.ask(method, `${path}/${'x'.repeat(length)}`, method === 'PATCH' ? { body: {} } : {});
  for (const length of [ID_LENGTH_MAX + 1, 4_000]) {
    const { status, body } = await ask(length);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  }
  expect(await world.commands()).toHaveLength(before);
  const unknown = await ask(ID_LENGTH_MAX);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
});

it('takes what may be an id as it is', () => {
  expect(idPath.parse({ id: 'x'.repeat(ID_LENGTH_MAX) })).toEqual({ id: 'x'.repeat(ID_LENGTH_MAX) });
});
