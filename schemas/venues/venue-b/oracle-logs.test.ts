import { decodeEventLog, type Hex, hexToString, keccak256, parseAbi, stringToHex, toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, ORACLE_PRICES, ORACLES, YES_OR_NO_QUERY } from './contracts.ts';
import { type EmittedLog, encodeConditionResolution, encodeOracleLog, ZERO_ADDRESS } from './oracle-logs.ts';

const ABI = parseAbi([
  'event RequestPrice(address indexed requester, bytes32 identifier, uint256 timestamp, bytes ancillaryData, address currency, uint256 reward, uint256 finalFee)',
  'event ProposePrice(address indexed requester, address indexed proposer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice, uint256 expirationTimestamp, address currency)',
  'event DisputePrice(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice)',
  'event Settle(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 price, uint256 payout)',
  'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 slots, uint256[] payoutNumerators)',
  'event QuestionPrepared(bytes32 indexed marketId, bytes32 indexed questionId, bytes32 indexed requestId, uint256 index, bytes data)',
]);
const decoded = ({ topics, data }: EmittedLog) =>
  decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data: data as Hex });
const account = (digit: string) => `0x${digit.repeat(40)}`;
const bytes32 = (digit: string) => `0x${digit.repeat(64)}`;
const currency = expect.stringMatching(/^0x2791/i);

const request = { requester: account('a'), timestamp: 1_748_547_313, ancillaryText: 'q: “Will it?”\nmarket_id: 7' };
const requestArgs = {
  requester: expect.stringMatching(new RegExp(account('a'), 'i')),
  identifier: YES_OR_NO_QUERY,
  timestamp: 1_748_547_313n,
  ancillaryData: stringToHex(request.ancillaryText),
};
const proposer = account('1');
const disputer = account('2');

describe('logs of the oracle', () => {
  it.each([
    ['RequestPrice', { kind: 'request' }, { currency, reward: 0n, finalFee: 0n }],
    [
      'ProposePrice',
      { kind: 'propose', proposer, price: ORACLE_PRICES['0.5'], expiration: 99 },
      { proposer, proposedPrice: 5n * 10n ** 17n, expirationTimestamp: 99n, currency },
    ],
    [
      'DisputePrice',
      { kind: 'dispute', proposer, disputer, price: ORACLE_PRICES['1'] },
      { proposer, disputer, proposedPrice: 10n ** 18n },
    ],
    [
      'Settle',
      { kind: 'settle', proposer, disputer: ZERO_ADDRESS, price: ORACLE_PRICES.ignore, payout: 3n },
      { proposer, disputer: ZERO_ADDRESS, price: -(2n ** 255n), payout: 3n },
    ],
  ] as const)('are decoded by viem to the encoded values: %s', (eventName, step, args) => {
    const log = encodeOracleLog(request, step);
    expect(log.address).toBe(ORACLES.optimisticV2);
    expect(decoded(log)).toEqual({ eventName, args: { ...requestArgs, ...args } });
  });

  it('have the given oracle and identifier', () => {
    const identifier = bytes32('9');
    const log = encodeOracleLog({ ...request, oracle: ORACLES.managed, identifier }, { kind: 'request' });
    expect(log.address).toBe(ORACLES.managed);
    expect(decoded(log).args).toMatchObject({ identifier });
  });
});

it('logs of settlements are decoded by viem to the encoded values', () => {
  const [conditionId, questionId] = [bytes32('c'), bytes32('d')];
  const resolution = encodeConditionResolution({ conditionId, oracle: account('1'), questionId, numerators: [0n, 1n] });
  expect(decoded(resolution)).toEqual({
    eventName: 'ConditionResolution',
    args: { conditionId, oracle: account('1'), questionId, slots: 2n, payoutNumerators: [0n, 1n] },
  });
});

it('the topics match the signatures, and the identifier spells its name', () => {
  const events: Readonly<Record<string, string>> = CHAIN_EVENTS;
  for (const event of ABI) {
    const name = `${event.name.charAt(0).toLowerCase()}${event.name.slice(1)}`;
    expect(events[name]).toBe(toEventSelector(event));
  }
  expect(hexToString(YES_OR_NO_QUERY, { size: 32 })).toBe('YES_OR_NO_QUERY');
  expect(keccak256(encodeAsBytes(request.ancillaryText))).toBe(keccak256(stringToHex(request.ancillaryText)));
});

/** The ancillary data as a log contains them. */
function encodeAsBytes(ancillaryText: string): Hex {
  const log = decoded(encodeOracleLog({ ...request, ancillaryText }, { kind: 'request' }));
  return (log.args as { ancillaryData: Hex }).ancillaryData;
}
