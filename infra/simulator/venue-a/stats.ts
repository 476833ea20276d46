/** venue_a's stats host (venue page, section 9): no leaderboard rows and no builder files yet. */
export function answerStats(path: string): { readonly status: number; readonly text: string } {
  const name = path.split('/').at(-1);
  if (name === 'leaderboard') return { status: 200, text: '{"leaderboardRows":[]}' };
  if (name === 'vaults') return { status: 200, text: '[]' };
  // The host answers 403 where there is no file.
  return { status: 403, text: 'Forbidden' };
}
