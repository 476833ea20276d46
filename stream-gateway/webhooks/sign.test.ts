import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from './sign.ts';

const NEW = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OLD = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = JSON.stringify({ id: 'e1', text: 'é€😀' });
const at = Date.now();
const signed = (secrets: string[]) => signedHeaders({ eventId: 'e1', at, body, secrets });

describe('the signature', () => {
  it('is accepted by a standard verifier', () => expect(new Webhook(NEW).verify(body, signed([NEW]))).toBeTruthy());

  it('contains one for each of two secrets, newest first', () => {
    const headers = signed([NEW, OLD]);
    expect(new Webhook(OLD).verify(body, headers)).toBeTruthy();
    expect(new Webhook(NEW).verify(body, headers)).toBeTruthy();
    const [first, second, ...more] = headers['webhook-signature']!.split(' ');
    expect(signed([NEW])['webhook-signature']).toBe(first);
    expect(signed([OLD])['webhook-signature']).toBe(second);
    expect(more).toEqual([]);
  });

  it('is also sent in the header of the specification', () => {
    const headers = signed([NEW, OLD]);
    expect(headers['X-Svc-Signature']).toBe(headers['webhook-signature']);
  });

  it('is refused for another body, id or secret', () => {
    const headers = signed([NEW]);
    const verify = (text: string, signedHeaders = headers, secret = NEW) =>
      new Webhook(secret).verify(text, signedHeaders);
    expect(() => verify(`${body} `)).toThrow(WebhookVerificationError);
    expect(() => verify(body, { ...headers, 'webhook-id': 'e2' })).toThrow(WebhookVerificationError);
    expect(() => verify(body, headers, OLD)).toThrow(WebhookVerificationError);
  });
});
