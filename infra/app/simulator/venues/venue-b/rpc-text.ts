import type { Block, ChainLog, PlacedLog } from './chain.ts';

/** JSON text of blocks and logs. Integers are hex without leading zeros, everything else is hex of fixed length. */

const hex = (value: number) => `0x${value.toString(16)}`;
const ZERO_HASH = `0x${'0'.repeat(64)}`;
/** A bloom filter that matches every log, since the simulated chain does not compute real ones. */
const FULL_BLOOM = `0x${'f'.repeat(512)}`;

/** A block in `eth_getBlockByNumber`, with transaction hashes only. */
export function blockText(block: Block): string {
  const transactions = block.transactions.map((hash) => `"${hash}"`).join(',');
  return `{${headerFields(block)},"transactions":[${transactions}],"size":"${hex(1_000 + block.transactions.length * 900)}","uncles":[]}`;
}

/** A block header in `newHeads`. */
export function headText(block: Block): string {
  return `{${headerFields(block)}}`;
}

function headerFields(block: Block): string {
  const gasUsed = hex(21_000 + block.transactions.length * 180_000);
  return `"number":"${hex(block.number)}","hash":"${block.hash}","parentHash":"${block.parentHash}","timestamp":"${hex(block.timestamp)}","nonce":"0x0000000000000000","sha3Uncles":"${ZERO_HASH}","logsBloom":"${FULL_BLOOM}","transactionsRoot":"${ZERO_HASH}","stateRoot":"${ZERO_HASH}","receiptsRoot":"${ZERO_HASH}","miner":"0x0000000000000000000000000000000000000000","difficulty":"0x1","totalDifficulty":"${hex(block.number)}","extraData":"0x","mixHash":"${ZERO_HASH}","gasLimit":"0x3938700","gasUsed":"${gasUsed}","baseFeePerGas":"0x6fc23ac00"`;
}

/** The four fields of a header in a recording. */
export function shortHeadText(block: Block): string {
  return `{"number":"${hex(block.number)}","hash":"${block.hash}","parentHash":"${block.parentHash}","timestamp":"${hex(block.timestamp)}"}`;
}

/** A log in `eth_getLogs` and log subscriptions. */
export function logText(block: PlacedLog['block'], log: ChainLog, removed: boolean): string {
  const topics = log.topics.map((topic) => `"${topic}"`).join(',');
  return `{"address":"${log.address}","topics":[${topics}],"data":"${log.data}","blockNumber":"${hex(block.number)}","transactionHash":"${log.transactionHash}","transactionIndex":"${hex(log.transactionIndex)}","blockHash":"${block.hash}","logIndex":"${hex(log.logIndex)}","blockTimestamp":"${hex(block.timestamp)}","removed":${removed}}`;
}
