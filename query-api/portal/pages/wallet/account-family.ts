import { providerFamily, type WalletProvider } from '#schemas/venues/accounts';

export type AccountFamily = ReturnType<typeof providerFamily>;

/** The venue of a binding, whose account it is as a whole. */
export function familyOf(provider: string): AccountFamily {
  return providerFamily(provider as WalletProvider);
}

/** Times of points as charts need them, unix ms. */
export function curveTimes(points: readonly { readonly t: number }[]): number[] {
  return points.map(({ t }) => t * 1_000);
}
