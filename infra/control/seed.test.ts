import { describe, expect, it } from 'vitest';
import { SettingError } from '../config/declare.ts';
import { createAuthenticator } from './authenticator.ts';
import { testNodes } from './test-nodes.fixture.ts';
import { formatToken, mintToken, parseToken } from './token.ts';

const { logged, host, otherNode, seed, commands } = testNodes();

describe('seeding', () => {
  it('makes a token once, tells it once, and keeps no trace of its secret', async () => {
    const on = await host();
    const token = await seed(on, null);
    expect(parseToken(token!)).not.toBeNull();
    expect(await seed(on, null)).toBeNull();
    const { secret } = parseToken(token!)!;
    for (const record of await commands()) expect(record.value!.includes(secret)).toBe(false);
    expect(logged.join()).not.toContain(secret);
  });

  it('takes a given token, tells nothing, and knows it again at the next start', async () => {
    const on = await host();
    const given = formatToken(mintToken());
    expect(await seed(on, given)).toBeNull();
    expect(await seed(on, given)).toBeNull();
    expect(await commands()).toHaveLength(1);
    expect(createAuthenticator(on).authenticateKnown(given)?.key.scopes).toEqual(['read', 'trade', 'stream', 'admin']);
  });

  it('leaves a given token whose key was revoked revoked, says so, and goes on', async () => {
    const on = await host();
    await seed(on, null);
    const given = mintToken();
    await seed(on, formatToken(given));
    const { orgId, userId } = on.state.keys.get(given.keyId)!;
    const actor = { orgId, keyId: given.keyId, userId, sandbox: false };
    expect(await on.submit('key.revoke', { actor, keyId: given.keyId })).toMatchObject({ ok: true });
    expect(await seed(on, formatToken(given))).toBeNull();
    expect(createAuthenticator(on).authenticateKnown(formatToken(given))).toBeNull();
    expect(logged.join()).toContain('was revoked; it stays so');
  });

  it('makes another given token one more admin key of the first organization, and logs it', async () => {
    const on = await host();
    await seed(on, null);
    const given = formatToken(mintToken());
    await seed(on, given);
    expect(on.state.keys.size).toBe(2);
    expect(on.state.organizations.size).toBe(1);
    expect(createAuthenticator(on).authenticateKnown(given)?.key.orgId).toBe(on.state.firstOrganizationId);
    expect(logged.join()).toContain('one more admin key');
  });

  it('refuses a given token whose id is that of a key with another secret', async () => {
    const on = await host();
    const token = mintToken();
    await seed(on, formatToken(token));
    const other = formatToken({ ...token, secret: mintToken().secret });
    await expect(seed(on, other)).rejects.toThrow(SettingError);
    expect(createAuthenticator(on).authenticateKnown(other)).toBeNull();
  });

  it('refuses a sandbox token', async () => {
    await expect(seed(await host(), formatToken(mintToken(true)))).rejects.toThrow(SettingError);
  });

  it('by two nodes at once leaves one organization, and one token that was told', async () => {
    const nodes = [await host(), await otherNode()];
    const tokens = await Promise.all(nodes.map((node) => seed(node, null)));
    expect(tokens.filter((token) => token !== null)).toHaveLength(1);
    expect(nodes[0]!.state.organizations.size).toBe(1);
    expect(nodes[0]!.state.keys.size).toBe(1);
  });

  it('by two nodes at once with the same token gives both a key that works', async () => {
    const nodes = [await host(), await otherNode()];
    const given = formatToken(mintToken());
    await Promise.all(nodes.map((node) => seed(node, given)));
    for (const node of nodes) expect(createAuthenticator(node).authenticateKnown(given)).not.toBeNull();
    expect(nodes[0]!.state.keys.size).toBe(1);
  });
});
