import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { KAFKA_ADVICE, STORE_ADVICE, withAdvice } from './connection-advice.ts';

const certificate = { subject: { CN: 'broker.example.com' }, subjectaltname: 'DNS:broker.example.com' };
const wrongHost = checkServerIdentity('kafka', certificate as PeerCertificate)!.message;

describe('withAdvice', () => {
  it.each([
    [wrongHost, /; the certificate of the broker is for other hosts; check the host in --log and/],
    ['Connection error: certificate has expired', /; renew the certificate of the broker$/],
    ['Connection error: certificate is not yet valid', /; check the certificate of the broker, and the clock/],
    ['Connection error: self-signed certificate', /; PARALLAX_KAFKA_TLS must be the path of the certificate of the/],
    ['Connection error: unable to get local issuer certificate', /; PARALLAX_KAFKA_TLS must be the path/],
  ])('names what is wrong with the certificate of a broker: %s', (message, expected) => {
    expect(withAdvice(message, KAFKA_ADVICE)).toMatch(expected);
  });

  it.each([
    [
      `ERR_TLS_CERT_ALTNAME_INVALID: ${wrongHost}`,
      /; the certificate of the server is for other hosts; check the host in --store,/,
    ],
    ['CERT_HAS_EXPIRED: certificate has expired', /; renew the certificate of the server$/],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate',
      /; NODE_EXTRA_CA_CERTS must be the path/,
    ],
  ])('names what is wrong with the certificate of a server: %s', (message, expected) => {
    expect(withAdvice(message, STORE_ADVICE)).toMatch(expected);
  });

  it('leaves other messages as they are', () => {
    expect(withAdvice('disk full', KAFKA_ADVICE)).toBe('disk full');
  });
});
