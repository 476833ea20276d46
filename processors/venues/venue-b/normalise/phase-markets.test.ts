import { keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import type { DisputePhase } from '#schemas/topics/oracle';
import { defaultBatchSize } from '../../../shared/drop-oldest.ts';
import { createCatalogState } from './catalog-state.ts';
import { RETAINED_HEADERS } from './chain-view.ts';
import { assignPhaseMarket, createEmittedPhases, emitNewPhase, UNASSIGNED_PHASES_MAX } from './emitted-phases.ts';
import { ADDRESS, requestOf } from './oracle-logs.fixture.ts';
import { addPreparedRequest, PREPARED_REQUESTS_MAX } from './prepared-requests.ts';
import {
  conditionOf,
  market,
  NEG_RISK,
  NEG_RISK_CONDITION,
  NEG_RISK_QUESTION,
  phasesOf,
  prepare,
  propose,
  QUESTION,
} from './questions.fixture.ts';
import { hashOf, header, headers, play } from './venue-b.fixture.ts';

const brief = ({ phase, marketId, status }: DisputePhase) => `${phase} ${marketId?.slice(0, 6)} ${status}`;

describe('the market of a dispute phase', () => {
  const named = (n: number, more = '') => requestOf(`${more}q: title: X market_id: ${n} res_data: p1: 0`);

  it('is the one that its text names, for any requester, and the last one if the description names others', () => {
    const condition = hashOf('condition');
    const [first] = phasesOf([market('77', condition), propose(named(77, 'market_id: 5 '))]);
    expect(first?.marketId).toBe(condition);
    const proposed = { ...NEG_RISK, ancillaryData: named(77).ancillaryData };
    expect(phasesOf([market('77', condition), propose(proposed)])[0]?.marketId).toBe(condition);
  });

  it('is computed by the formula if the catalog lacks the name', () => {
    const request = named(78);
    const marketId = conditionOf(ADDRESS.adapterV2, keccak256(request.ancillaryData));
    expect(phasesOf([market('77', hashOf('condition')), propose(request)])[0]?.marketId).toBe(marketId);
  });

  it('is emitted again if the catalog later lists the name as another market, and not as the same', () => {
    const request = named(78);
    const marketId = conditionOf(ADDRESS.adapterV2, keccak256(request.ancillaryData));
    const other = phasesOf([propose(request), market('78', hashOf('condition'))], true);
    expect(other.map((phase) => phase.marketId)).toEqual([marketId, hashOf('condition')]);
    const { phases, state } = play([header(100), propose(request), market('78', marketId)]);
    expect([phases.length, state.phases.unassigned.size, state.phases.idsByName.size]).toEqual([1, 0, 0]);
  });

  it('is never computed by the formula for a neg-risk request', () => {
    expect(phasesOf([propose(NEG_RISK)])).toMatchObject([{ marketId: null, questionId: QUESTION }]);
  });

  it('is the one of the prepared question for a neg-risk request', () => {
    expect(phasesOf([prepare(), propose(NEG_RISK)], true).map(brief)).toEqual([
      `propose ${NEG_RISK_CONDITION.slice(0, 6)} pending`,
    ]);
  });

  it('is emitted under the same id, once, if the question is prepared later', () => {
    const phases = phasesOf([propose(NEG_RISK), prepare(), prepare({ logIndex: 2 })], true);
    expect(phases.map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION]);
    expect(phases[1]?.id).toBe(phases[0]?.id);
  });

  it.each([
    ['its name', market('77', NEG_RISK_CONDITION), { ...NEG_RISK, ancillaryData: named(77).ancillaryData }],
    [
      'its request',
      market('77', NEG_RISK_CONDITION, { negRiskRequestID: QUESTION.toUpperCase().replace('0X', '0x') }),
      NEG_RISK,
    ],
  ])('is emitted when the catalog lists %s, also after the block is confirmed', (_, catalog, request) => {
    const early = phasesOf([propose(request), catalog], true);
    expect(early.map(({ marketId, status }) => [marketId, status])).toEqual([
      [null, 'pending'],
      [NEG_RISK_CONDITION, 'pending'],
    ]);
    const phases = phasesOf([propose(request), ...headers(101, 164), catalog, catalog]);
    expect(phases.map(({ marketId, status }) => [marketId, status])).toEqual([
      [null, 'pending'],
      [null, 'confirmed'],
      [NEG_RISK_CONDITION, 'confirmed'],
    ]);
    const forgotten = phasesOf([propose(request), ...headers(101, 101 + RETAINED_HEADERS), catalog]);
    expect(forgotten.at(-1)).toMatchObject({ marketId: NEG_RISK_CONDITION, status: 'confirmed' });
  });

  it('is unknown again if the block that prepared the question is dropped, unless the catalog lists it', () => {
    const known = market('77', NEG_RISK_CONDITION, { negRiskRequestID: QUESTION });
    const story = [propose(NEG_RISK), header(101), prepare({ block: 101 }), header(101, 'b', 'a')];
    expect(phasesOf(story, true).map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION, null]);
    const again = prepare({ block: 101, fork: 'b' }, `${NEG_RISK_QUESTION.slice(0, -2)}08`);
    expect(phasesOf([...story, again]).at(-1)?.marketId).toBe(
      conditionOf(ADDRESS.negRiskAdapter, `${NEG_RISK_QUESTION.slice(0, -2)}08`),
    );
    expect(phasesOf([known, ...story]).map(({ marketId }) => marketId)).toEqual([NEG_RISK_CONDITION]);
    const removed = [propose(NEG_RISK), prepare(), prepare({ removed: true })];
    expect(phasesOf(removed).map(({ marketId }) => marketId)).toEqual([null, NEG_RISK_CONDITION, null]);
  });

  it('is awaited for a bounded number of phases, and prepared questions are bounded, too', () => {
    const phases = createEmittedPhases();
    const emitted: DisputePhase[] = [];
    const emit = Object.assign((_: unknown, __: string, value: unknown) => void emitted.push(value as DisputePhase), {
      remove: () => {},
      deadLetter: () => {},
    });
    const [phase] = phasesOf([propose(NEG_RISK)]);
    for (let n = 0; n <= UNASSIGNED_PHASES_MAX; n += 1) {
      const ids = { questionId: hashOf(`${n}`), gammaId: `${n}`, conditionId: null };
      emitNewPhase(
        phases,
        createCatalogState(),
        { ids, phase: { ...phase!, id: `${n}`, questionId: ids.questionId } },
        emit,
      );
    }
    const removed = defaultBatchSize(UNASSIGNED_PHASES_MAX);
    const left = UNASSIGNED_PHASES_MAX + 1 - removed;
    expect([phases.unassigned.size, phases.idsByName.size]).toEqual([left, 2 * left]);
    emitted.length = 0;
    assignPhaseMarket(phases, 'market', { gammaId: '0' }, emit);
    assignPhaseMarket(phases, 'market', { gammaId: `${removed}`, requestId: hashOf(`${removed}`) }, emit);
    expect(emitted.map(({ id }) => id)).toEqual([`${removed}`]);
    for (let n = 0; n <= PREPARED_REQUESTS_MAX; n += 1) {
      addPreparedRequest(phases, { requestId: `${n}`, conditionId: 'c', blockHash: 'b' }, emit);
    }
    expect(phases.prepared.size).toBe(PREPARED_REQUESTS_MAX + 1 - defaultBatchSize(PREPARED_REQUESTS_MAX));
    expect(phases.prepared.has('0')).toBe(false);
  });
});
