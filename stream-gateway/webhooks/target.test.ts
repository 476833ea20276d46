import { describe, expect, it } from 'vitest';
import { type ControlState, initialControlState, type Webhook } from '#schemas/domain/control/state';
import { ENABLED_TOLERANCE_MS, targetOf } from './target.ts';

const ENABLED_AT = Date.parse('2026-05-01T12:00:00Z');

function stateWith(webhook: Partial<Webhook>): ControlState {
  const state = initialControlState();
  const complete = { id: 'wh', orgId: 'org', enabled: true, updatedAt: '2026-05-01T12:00:00.000Z', ...webhook };
  (state.webhooks as Map<string, Webhook>).set('wh', complete as Webhook);
  return state;
}

describe('a webhook that was enabled again', () => {
  const state = stateWith({ enabledAt: ENABLED_AT });

  it('gets deliveries that a node with a slow clock created afterwards', () =>
    expect(targetOf(state, 'wh', ENABLED_AT - ENABLED_TOLERANCE_MS)).toHaveProperty('webhook.id', 'wh'));

  it('gets no older deliveries', () =>
    expect(targetOf(state, 'wh', ENABLED_AT - ENABLED_TOLERANCE_MS - 1)).toEqual({
      refusal: 'webhook_disabled',
      isFinal: true,
    }));
});
