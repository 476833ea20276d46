import { describe, expect, it } from 'vitest';
import { showsOtherData } from './session-change.ts';

const ours = { orgId: 'org_1', sandbox: false };

describe('showsOtherData', () => {
  it('is true for a key of another organization, and for one of the sandbox', () => {
    expect(showsOtherData(ours, { orgId: 'org_2', sandbox: false })).toBe(true);
    expect(showsOtherData(ours, { orgId: 'org_1', sandbox: true })).toBe(true);
  });

  it('is false for another key of the same organization, and for the first session', () => {
    expect(showsOtherData(ours, { ...ours })).toBe(false);
    expect(showsOtherData(null, ours)).toBe(false);
    expect(showsOtherData(undefined, ours)).toBe(false);
  });
});
