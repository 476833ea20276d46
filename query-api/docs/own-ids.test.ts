import { expect, it } from 'vitest';
import { z } from 'zod';
import { templateOf } from '../openapi/naming.ts';
import { ROUTES } from '../routes/index.ts';
import { ownIdsOf } from './own-ids.ts';

it('finds where the ids of wallets, webhooks and events are listed', () => {
  expect(ownIdsOf('/v1/me/wallets/{id}/nav', 'id')?.list).toBe('/v1/me/wallets');
  expect(ownIdsOf('/v1/webhooks/{id}/deliveries/{deliveryId}', 'id')?.rows).toBe('webhooks');
  expect(ownIdsOf('/v1/events/{universalId}/spread', 'universalId')?.field).toBe('universalId');
  expect(ownIdsOf('/v1/webhooks/{id}/deliveries/{deliveryId}', 'deliveryId')).toBeNull();
  expect(ownIdsOf('/v1/markets/venue_a/coins/{coin}', 'coin')).toBeNull();
});

it('names lists that exist and have the field', () => {
  const listed = new Set(
    ROUTES.map(({ path }) => templateOf(path)).map((path) =>
      ownIdsOf(path, path.includes('{universalId}') ? 'universalId' : 'id'),
    ),
  );
  listed.delete(null);
  expect(listed.size).toBe(6);
  for (const ids of listed) {
    const route = ROUTES.find(({ method, path }) => method === 'GET' && path === ids!.list.split('?')[0]);
    const schema = z.toJSONSchema(route!.response as z.ZodType, { unrepresentable: 'any' });
    // Shared schemas stand in `$defs`.
    expect(JSON.stringify(schema.properties?.[ids!.rows]), ids!.list).toContain('"array"');
    expect(JSON.stringify(schema), ids!.list).toContain(`"${ids!.field}":{`);
  }
});
