/** Builds records with logs of the oracle and of settlements, encoded by viem without the code under test. */
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, stringToHex, toHex } from 'viem';
import { type AnyRecord, blockAt, hashOf, raw } from './venue-b.fixture.ts';

const ORACLE_ABI = parseAbi([
  'event RequestPrice(address indexed requester, bytes32 identifier, uint256 timestamp, bytes ancillaryData, address currency, uint256 reward, uint256 finalFee)',
  'event ProposePrice(address indexed requester, address indexed proposer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice, uint256 expirationTimestamp, address currency)',
  'event DisputePrice(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 proposedPrice)',
  'event Settle(address indexed requester, address indexed proposer, address indexed disputer, bytes32 identifier, uint256 timestamp, bytes ancillaryData, int256 price, uint256 payout)',
  'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 slots, uint256[] payoutNumerators)',
  'event QuestionPrepared(bytes32 indexed marketId, bytes32 indexed questionId, bytes32 indexed requestId, uint256 index, bytes data)',
]);
export type OracleEvent = (typeof ORACLE_ABI)[number]['name'];

export const YES_OR_NO = stringToHex('YES_OR_NO_QUERY', { size: 32 });
export const PRICE = { yes: 10n ** 18n, no: 0n, half: 5n * 10n ** 17n, ignore: -(2n ** 255n) };
export const ADDRESS = {
  oracle: '0xee3afe347d5c74317041e2618c49534daf887c24',
  managedOracle: '0x2c0367a9db231ddebd88a94b4f6461a6e47c58b1',
  adapterV2: '0x6a9d222616c90fca5754cd1333cfd9b7fb6a4f74',
  adapterV4: '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7',
  negRiskUma: '0x2f5e3684cb1f318ec51b00edba38d79ac2c0aa9d',
  negRiskAdapter: '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296',
  operator: '0x71523d0f655b41e805cec45b17163f528b59b820',
  tokens: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  none: `0x${'0'.repeat(40)}`,
} as const;

/** Position of a log. */
export interface LogPlace {
  readonly block: number;
  /** Distinguishes blocks of one number. */
  readonly fork?: string;
  readonly tx: string;
  readonly logIndex: number;
  readonly address?: string;
  readonly removed?: boolean;
}

/** Encodes a log without its position, by the signature of its event. */
function encodeLog(eventName: OracleEvent, args: Readonly<Record<string, unknown>>) {
  const { inputs } = ORACLE_ABI.find(({ name }) => name === eventName)!;
  const rest: readonly { name: string; type: string }[] = inputs.filter((input) => !('indexed' in input));
  return {
    topics: encodeEventTopics({ abi: ORACLE_ABI, eventName, args: args as never }) as Hex[],
    data: encodeAbiParameters(rest, rest.map(({ name }) => args[name]) as never),
  };
}

/** Builds the record of a log in its block, in the form that ingest writes. */
export function settlementLog(
  eventName: OracleEvent,
  args: Readonly<Record<string, unknown>>,
  { block, fork = 'a', tx, logIndex, address = ADDRESS.oracle, removed = false }: LogPlace,
): AnyRecord {
  return raw('rpc', blockAt(block), {
    log: {
      address,
      ...encodeLog(eventName, args),
      blockNumber: toHex(block),
      blockHash: hashOf(`${block}${fork}`),
      transactionHash: /^0x[0-9a-f]{64}$/.test(tx) ? tx : hashOf(tx),
      transactionIndex: '0x0',
      logIndex: toHex(logIndex),
      removed,
    },
  });
}

/** Builds the request of an adapter with the fields that each of the oracle's logs repeats. */
export function requestOf(
  text: string,
  { requester = ADDRESS.adapterV2 as string, timestamp = 1_700_000_000, identifier = YES_OR_NO } = {},
) {
  return { requester, identifier, timestamp: BigInt(timestamp), ancillaryData: stringToHex(text) };
}
