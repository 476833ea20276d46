import { describe, expect, it } from 'vitest';
import { type BoardRow, boardCsv, noEdgeReason } from './board.ts';

const ROW: BoardRow = {
  universalId: 'evt_1',
  canonicalName: 'A "quoted", name',
  kind: null,
  status: 'open',
  resolutionDate: null,
  legs: [{ provider: 'venue_b', marketId: 'm', yesBid: 0.5, yesAsk: null, yesMid: null, state: 'live', since: null }],
  spread: null,
  edge: null,
  edges: [],
  noEdge: 'no_book',
  volume24h: 0,
  trades24h: 0,
  lastTradeAt: null,
  anomalies24h: 0,
  disputed: false,
};

describe('the board as CSV', () => {
  it('quotes what needs quotes, and leaves unknown values empty', () => {
    const [header, line, end] = boardCsv([ROW]).split('\r\n');
    expect(header!.split(',').slice(0, 3)).toEqual(['universalId', 'canonicalName', 'kind']);
    expect(line).toBe('evt_1,"A ""quoted"", name",,open,,,,,,,no_book,0,0,venue_b 0.5/');
    expect(end).toBe('');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)'])('has no formula for the name %s', (canonicalName) => {
    expect(boardCsv([{ ...ROW, canonicalName }])).toContain(`evt_1,'${canonicalName},`);
  });
});

describe('the reason why there is no edge', () => {
  it('is a sentence, and the code itself for a new one', () => {
    expect(noEdgeReason('thin_book')).toBe('a book holds less than the size');
    expect([noEdgeReason('new_reason'), noEdgeReason(null)]).toEqual(['new_reason', 'not known']);
  });
});
