import { describe, expect, it } from 'vitest';
import { questionBefore } from './question.ts';

describe('questionBefore', () => {
  it.each([
    ['DELETE', '/keys/key_1', undefined, 'cannot be undone'],
    ['POST', '/v1/webhooks/wh_1/secret', undefined, 'new secret'],
    ['PATCH', '/v1/organizations/org_1', { suspended: true }, 'keys of the organization'],
    ['PATCH', '/v1/webhooks/wh_1', { enabled: false }, 'Nothing is sent'],
  ])('asks before %s %s with %j', (method, path, body, words) => {
    expect(questionBefore(method, path, body)).toContain(`Send ${method} ${path}?`);
    expect(questionBefore(method, path, body)).toContain(words);
  });

  it.each([
    ['GET', '/v1/webhooks/wh_1/secret', undefined],
    ['POST', '/v1/webhooks/wh_1/test', { eventType: 'x' }],
    ['PATCH', '/v1/organizations/org_1', { suspended: false }],
    ['PATCH', '/v1/webhooks/wh_1', { enabled: true }],
    ['PATCH', '/v1/webhooks/wh_1', null],
  ])('asks nothing before %s %s with %j', (method, path, body) => {
    expect(questionBefore(method, path, body)).toBeNull();
  });
});
