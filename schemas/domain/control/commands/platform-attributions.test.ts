import { beforeEach, describe, expect, it } from 'vitest';
import { type ControlFixture, createControlFixture, refusal, resultOf, WALL_ISO } from '../control.fixture.ts';
import type { Actor } from '../envelope.ts';
import { putAttribution } from '../indices.ts';
import { attributionRows } from '../rows.ts';
import { ATTRIBUTIONS_MAX } from './create-platform-attribution.ts';

const ID = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const ADDRESS = `0x${'aB'.repeat(20)}`;
const BYTES32 = `0x${'cD'.repeat(32)}`;
let control: ControlFixture;
let acme: Actor;
beforeEach(() => {
  control = createControlFixture();
  acme = control.organization('org_acme');
});
const create = (as: Actor, attributionId: string, provider = 'venue_a', builder = ADDRESS, label = 'Desk') =>
  control.send('platform_attribution.create', { attributionId, provider, builder, label }, { as });

describe('a platform attribution', () => {
  it('is stored under the family and the lower-case builder', () => {
    const attribution = {
      id: ID(1),
      orgId: 'org_acme',
      provider: 'venue_a',
      builder: ADDRESS.toLowerCase(),
      label: 'Desk',
      createdByUserId: 'admin',
      createdAt: WALL_ISO,
    };
    expect(resultOf(create(acme, ID(1), 'venue_a_outcome'))).toEqual({ attribution, existing: false });
    expect(attributionRows(control.state, acme)).toEqual([attribution]);
    expect(resultOf(create(acme, ID(2), 'venue_b', BYTES32))).toMatchObject({
      attribution: { provider: 'venue_b', builder: BYTES32.toLowerCase() },
    });
  });

  it('is one of at most ten thousand, with the sandbox counted separately; an existing one is returned even at the limit', () => {
    const [{ orgId, sandbox }, row] = [acme, { label: '', createdByUserId: null, createdAt: WALL_ISO }];
    for (let n = 1; n < ATTRIBUTIONS_MAX; n += 1) {
      const builder = `0x${String(n).padStart(40, '0')}`;
      putAttribution(control.state, { ...row, id: `${n}`, orgId, sandbox, provider: 'venue_a', builder });
    }
    expect(create(acme, ID(1)).ok).toBe(true);
    expect(create(acme, ID(2), 'venue_b', BYTES32)).toMatchObject(refusal('conflict', '10000'));
    expect(resultOf(create(acme, ID(2)))).toMatchObject({ existing: true });
    expect(create(control.key(acme, 'sandboxed', { sandbox: true }), ID(3)).ok).toBe(true);
    control.send('platform_attribution.delete', { attributionId: '7' }, { as: acme });
    expect(create(acme, ID(2), 'venue_b', BYTES32).ok).toBe(true);
  });

  it('is returned if it is posted again, which changes nothing and is not audited', () => {
    create(acme, ID(1));
    const again = create(acme, ID(2), 'venue_a_perp', ADDRESS.toLowerCase(), 'Other');
    expect(again).toMatchObject({ result: { existing: true, attribution: { id: ID(1), label: 'Desk' } }, audit: [] });
    expect(control.state.attributions.size).toBe(1);
  });

  it.each([
    ['venue_c', ADDRESS, 'provider'],
    ['venue_a', ADDRESS.replace('0x', '0X'), 'builder'],
    ['venue_a', BYTES32, 'builder'],
    ['venue_b', ADDRESS, 'builder'],
    ['venue_a', `00${'ab'.repeat(20)}`, 'builder'],
    ['venue_a', `0x${'0'.repeat(40)}`, 'builder'],
    ['venue_b', `0x${'0'.repeat(64)}`, 'builder'],
  ])('of %s by %s is refused, naming the field', (provider, builder, field) => {
    expect(create(acme, ID(1), provider, builder)).toMatchObject(refusal('validation_failed', `${field}:`));
    expect(control.state.attributions.size).toBe(0);
  });

  it('has a unique uuid', () => {
    expect(create(acme, 'pat_1')).toMatchObject(refusal('validation_failed', 'attributionId:'));
    create(control.operator, ID(1));
    expect(create(acme, ID(1))).toMatchObject(refusal('conflict', 'attributionId'));
  });

  it('is deleted by its owner only, and audited like its creation', () => {
    const sandboxed = control.key(acme, 'sandboxed', { sandbox: true });
    const created = create(acme, ID(1));
    const remove = (as: Actor, attributionId = ID(1)) =>
      control.send('platform_attribution.delete', { attributionId }, { as });
    for (const as of [control.operator, sandboxed]) {
      expect(remove(as)).toMatchObject(refusal('not_found'));
      expect(remove(as)).toEqual(remove(as, ID(9)));
    }
    const entry = { orgId: 'org_acme', at: WALL_ISO, keyId: acme.keyId, userId: 'admin', targetId: ID(1) };
    expect(created).toMatchObject({ audit: [{ ...entry, action: 'me.platform_attribution.create' }] });
    expect(remove(acme)).toMatchObject({ audit: [{ ...entry, action: 'me.platform_attribution.delete' }] });
    expect(attributionRows(control.state, acme)).toEqual([]);
    expect(create(acme, ID(2))).toMatchObject({ result: { existing: false } });
  });
});
