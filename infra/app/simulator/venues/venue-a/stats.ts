/** Answers venue_a's stats host (venue page, section 9): no leaderboard rows and no builder files. */
export function answerStats(path: string): { readonly status: number; readonly text: string } {
  const name = path.split('/').at(-1);
  if (name === 'leaderboard') return { status: 200, text: '{"leaderboardRows":[]}' };
  if (name === 'vaults') return { status: 200, text: '[]' };
  // The host answers 403 for missing files.
  return { status: 403, text: 'Forbidden' };
}
