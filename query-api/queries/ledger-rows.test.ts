import { describe, expect, it } from 'vitest';
import { isOfLedgers } from './ledger-rows.ts';

const WHOLE = { account: 'venue_b:0x1', ledger: 5, providers: ['venue_b'] };
const PART = { account: 'venue_a:0x2', ledger: 7, providers: ['venue_a_perp'] };

describe('rows of ledgers', () => {
  it('are selected by account and start', () => {
    expect(isOfLedgers([WHOLE, PART]).parameters).toMatchObject({
      accounts: ['venue_b:0x1', 'venue_a:0x2'],
      ledgers: [5, 7],
    });
  });

  it('are restricted to providers only where a ledger is not read as a whole', () => {
    expect(isOfLedgers([WHOLE, PART]).parameters).toMatchObject({
      restricted: ['venue_a:0x2'],
      allowed: ['venue_a:0x2 venue_a_perp'],
    });
    expect(isOfLedgers([WHOLE]).sql).not.toContain('restricted');
  });

  it('have the provider of their coin, or that of the column', () => {
    expect(isOfLedgers([PART]).sql).toContain("startsWith(l.instrument, '#')");
    expect(isOfLedgers([PART], 'l.provider').sql).toContain("concat(l.account, ' ', l.provider)");
  });
});
