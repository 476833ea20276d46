import { z } from 'zod';
import { keyOf } from '#schemas/domain/control/lookups';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { defineCallerRoute } from '../../route.ts';

const count = (text: string) => z.number().int().describe(text);
const FIGURES = {
  sockets: count('Open sockets of your keys.'),
  subscriptions: count('Their subscriptions.'),
  dropped1h: count('Event frames that were dropped in the last hour.'),
};

export const getStream = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/stream',
  scope: 'read',
  sku: 'api.request',
  summary: "The sockets of the caller's organization, by gateway and by key; at most 5 s old.",
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    nodes: z
      .array(
        z.object({
          node: z.string().describe('Name of the gateway.'),
          at: isoTimeSchema.describe('When it reported this.'),
          ...FIGURES,
          queuedBytes: count('Bytes that wait for clients.'),
          sentPerSecond: z.number().describe('Event frames sent per second in the last seconds.'),
        }),
      )
      .describe('Every gateway, by name.'),
    keys: z
      .array(z.object({ keyId: z.string().describe('The key.'), ...FIGURES }))
      .describe('Keys with open sockets or recent drops; those with the most sockets first.'),
  }),
  handle({ caller }, { control, service }) {
    const byKey = new Map<string, { keyId: string; sockets: number; subscriptions: number; dropped1h: number }>();
    const nodes = service.nodes().flatMap(({ node, at, keys }) => {
      if (keys === null) return [];
      const total = { sockets: 0, subscriptions: 0, dropped1h: 0, queuedBytes: 0, sentPerSecond: 0 };
      for (const { orgId, ...figures } of keys) {
        // A sandbox key sees sandbox keys only.
        if (orgId !== caller.orgId || !keyOf(control.state, caller, figures.keyId)) continue;
        const { keyId, sockets, subscriptions, dropped1h, queuedBytes, sentPerSecond } = figures;
        const key = byKey.get(keyId) ?? { keyId, sockets: 0, subscriptions: 0, dropped1h: 0 };
        byKey.set(keyId, key);
        for (const sums of [total, key]) {
          sums.sockets += sockets;
          sums.subscriptions += subscriptions;
          sums.dropped1h += dropped1h;
        }
        total.queuedBytes += queuedBytes;
        total.sentPerSecond += sentPerSecond;
      }
      return [{ node, at: isoTime(at), ...total }];
    });
    return { nodes, keys: [...byKey.values()].sort((a, b) => b.sockets - a.sockets) };
  },
});
