import { describe, expect, it } from 'vitest';
import { matchTitles } from '../match-titles.ts';

function read(title: string, description = '') {
  return matchTitles([{ id: 'x', venue: 'venue_b', title, description, contextDate: '2031-03-05' }]).labels.x;
}

describe('a game', () => {
  it.each([
    ['Lions vs Tigers', 'Lions', 'Tigers'],
    ['Ohio Lions @ New Town Tigers', 'Ohio Lions', 'New Town Tigers'],
    ['Who will win Lions vs. Tigers?', 'Lions', 'Tigers'],
    ['Lions vs. Tigers: O/U 211.5', 'Lions', 'Tigers'],
    ['Lions vs. Tigers: Both Teams to Score', 'Lions', 'Tigers'],
    ['Lions vs. Tigers 2031-03-12', 'Lions', 'Tigers'],
    ['Lions vs. Tigers, scheduled for March 12', 'Lions', 'Tigers'],
    ['Will Lions vs. Tigers end in a draw?', 'Lions', 'Tigers'],
    ['Chess: Roe vs. van der Berg', 'Roe', 'van der Berg'],
    ['Counter-Strike: BigNoise vs smalltalk (BO3) - New Town Open Playoffs', 'BigNoise', 'smalltalk'],
    ['Map Handicap: BigNoise (-1.5) vs smalltalk (+1.5)', 'BigNoise', 'smalltalk'],
    ['Valorant: BigNoise vs SMALL - Map 2 Winner', 'BigNoise', 'SMALL'],
    ['T7 vs Gen.X (BO5)', 'T7', 'Gen.X'],
    ['Ruritania (W) vs Graustark (W)', 'Ruritania (W)', 'Graustark (W)'],
    ['Paris Saint-Martin vs. Real Sol de la Costa', 'Paris Saint-Martin', 'Real Sol de la Costa'],
  ])('is recognised in: %s', (title, a, b) => {
    expect(read(title)).toMatchObject({ kind: 'sports', details: { a, b } });
  });

  it.each([
    'Roe vs Doe debate before October?',
    'Roe vs Doe fight in 2032?',
    'Roe vs Doe March 2032',
    'Roe v. Doe overturned?',
    'Roe v. Doe',
    'Roe v. Doe: will the Supreme Court hear it?',
    'Roe vs. Doe: Will it go the distance?',
    'Bitcoin vs. Gold',
    'Bitcoin vs. Gold vs. Silver in 2032: Bitcoin',
    'Lions vs Tigers vs Bears',
  ])('is not recognised in: %s', (title) => {
    expect(read(title)?.kind).not.toBe('sports');
  });

  it('may be written like a court case if something else indicates sports', () => {
    expect(read('Lions v Tigers', 'class:question|category:sports')).toMatchObject({
      kind: 'sports',
      details: { a: 'Lions', b: 'Tigers' },
    });
  });
});
