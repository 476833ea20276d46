import { describe, expect, it } from 'vitest';
import { SettingError } from '../config/declare.ts';
import { createAuthenticator } from './authenticator.ts';
import { testNodes } from './test-nodes.fixture.ts';
import { formatToken, mintToken, parseToken } from './token.ts';

const { logged, replica, otherNode, seed, commands } = testNodes();

describe('seeding', () => {
  it('generates a token once, returns it once, and leaves no trace of its secret', async () => {
    const on = await replica();
    const token = await seed(on, null);
    expect(parseToken(token!)).not.toBeNull();
    expect(await seed(on, null)).toBeNull();
    const { secret } = parseToken(token!)!;
    for (const record of await commands()) expect(record.value!.includes(secret)).toBe(false);
    expect(logged.join()).not.toContain(secret);
  });

  it('accepts a configured token, returns nothing, and recognises the token at the next start', async () => {
    const on = await replica();
    const configured = formatToken(mintToken());
    expect(await seed(on, configured)).toBeNull();
    expect(await seed(on, configured)).toBeNull();
    expect(await commands()).toHaveLength(1);
    expect(createAuthenticator(on).authenticateKnown(configured)?.key.scopes).toEqual([
      'read',
      'trade',
      'stream',
      'admin',
    ]);
  });

  it('leaves a revoked key of a configured token revoked, logs a warning, and continues', async () => {
    const on = await replica();
    await seed(on, null);
    const configured = mintToken();
    await seed(on, formatToken(configured));
    const { orgId, userId } = on.state.keys.get(configured.keyId)!;
    const actor = { orgId, keyId: configured.keyId, userId, sandbox: false };
    expect(await on.submit('key.revoke', { actor, keyId: configured.keyId })).toMatchObject({ ok: true });
    expect(await seed(on, formatToken(configured))).toBeNull();
    expect(createAuthenticator(on).authenticateKnown(formatToken(configured))).toBeNull();
    expect(logged.join()).toContain('names a revoked key');
  });

  it('adds another configured token as an admin key of the first organization, and logs it', async () => {
    const on = await replica();
    await seed(on, null);
    const configured = formatToken(mintToken());
    await seed(on, configured);
    expect(on.state.keys.size).toBe(2);
    expect(on.state.organizations.size).toBe(1);
    expect(createAuthenticator(on).authenticateKnown(configured)?.key.orgId).toBe(on.state.firstOrganizationId);
    expect(logged.join()).toContain('added it as another admin key');
  });

  it('refuses a configured token whose id belongs to a key with another secret', async () => {
    const on = await replica();
    const token = mintToken();
    await seed(on, formatToken(token));
    const other = formatToken({ ...token, secret: mintToken().secret });
    await expect(seed(on, other)).rejects.toThrow(SettingError);
    expect(createAuthenticator(on).authenticateKnown(other)).toBeNull();
  });

  it('refuses a sandbox token', async () => {
    await expect(seed(await replica(), formatToken(mintToken(true)))).rejects.toThrow(SettingError);
  });

  it('by two nodes at once creates one organization, and returns one token', async () => {
    const nodes = [await replica(), await otherNode()];
    const tokens = await Promise.all(nodes.map((node) => seed(node, null)));
    expect(tokens.filter((token) => token !== null)).toHaveLength(1);
    expect(nodes[0]!.state.organizations.size).toBe(1);
    expect(nodes[0]!.state.keys.size).toBe(1);
  });

  it('by two nodes at once with the same token creates a key that is valid on both', async () => {
    const nodes = [await replica(), await otherNode()];
    const configured = formatToken(mintToken());
    await Promise.all(nodes.map((node) => seed(node, configured)));
    for (const node of nodes) expect(createAuthenticator(node).authenticateKnown(configured)).not.toBeNull();
    expect(nodes[0]!.state.keys.size).toBe(1);
  });
});
