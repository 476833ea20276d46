/** What the routes of a family have in common. */
import { z } from 'zod';
import type { ErrorCode } from '#schemas/errors';
import { type Family, marketPath, type Name, type Names } from './family.ts';

const COMMON = { method: 'GET', scope: 'read', sku: 'markets.read' } as const;

/** The declaration of a list of a family, without what it does. */
export function listDeclaration({ path, within }: Family) {
  return { ...COMMON, path, ...naming(within) };
}

/** The declaration of a route about one market, without what it does. @param suffix such as `/trades`. */
export function marketDeclaration(family: Family, suffix: '' | `/${string}`) {
  const { within, name } = family;
  return { ...COMMON, path: `${marketPath(family)}${suffix}` as const, ...naming([...within, name]) };
}

function naming(names: readonly Name[]): { params: z.ZodType<Names>; notFoundCodes: readonly ErrorCode[] } {
  const params = names.map(({ parameter, description }) => [parameter, z.string().describe(description)] as const);
  return { params: z.object(Object.fromEntries(params)), notFoundCodes: names.map(({ unknown }) => unknown) };
}
