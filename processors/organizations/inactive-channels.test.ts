import { expect, it } from 'vitest';
import { eventTopic } from '#schemas/topics/derived';
import { INACTIVE_MS } from '../shared/channel-seqs.ts';
import { createOrganizationsProbe, eventOf, fillsOf, OPERATOR, TAKER } from './organizations.fixture.ts';

it('the numbers of an organization continue after any silence, and are deleted with it', () => {
  const harness = createOrganizationsProbe();
  const fill = (arrival: number) => fillsOf(harness.trade({ id: `t${arrival}`, arrival }));
  const weeks = (...nths: number[]) => {
    for (const nth of nths)
      harness.probe.send(eventTopic, 'evt_1', { ...eventOf('evt_1', null), receivedAt: nth * INACTIVE_MS });
    harness.probe.restart();
  };
  harness.bind(harness.organization('org_a'), 'wal_a', TAKER, 'venue_b');
  expect([fill(1), fill(2)]).toEqual([['org_a 1 pending'], ['org_a 2 pending']]);
  weeks(1, 2, 3, 4);
  expect(fill(3)).toEqual(['org_a 3 pending']);
  harness.command('organization.delete', { organizationId: 'org_a' }, OPERATOR);
  weeks(5, 6, 7);
  // Nothing of it is left, and an organization with that id would not get a number twice.
  harness.bind(harness.organization('org_a'), 'wal_a', TAKER, 'venue_b');
  expect(fill(4)).toEqual(['org_a 4 pending']);
});
