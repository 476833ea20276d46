/** The protocol counts the records of a partition in 31 bits. */
const SEQUENCES = 2 ** 31;

/** Identity of a producer at the brokers. Of two with the same id, the one with the lower producer epoch is refused. */
export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/**
 * Producer state as kafkajs's message sender expects it: the identity, and how many records were sent to each
 * partition. Allows one request at a time at each broker, so that a repeated one retains its numbers.
 */
export class ProducerNumbers {
  private readonly identity: ProducerIdentity;
  private readonly sequences = new Map<string, number>();
  private readonly busy = new Map<unknown, { readonly ended: Promise<void>; readonly end: () => void }>();

  constructor(identity: ProducerIdentity) {
    this.identity = identity;
  }

  getProducerId(): number {
    return this.identity.producerId;
  }

  getProducerEpoch(): number {
    return this.identity.producerEpoch;
  }

  getSequence(topic: string, partition: number | string): number {
    return this.sequences.get(`${topic}/${partition}`) ?? 0;
  }

  /** @param by negative if a request was not answered, so that its repeat has the same numbers. */
  updateSequence(topic: string, partition: number | string, by: number): void {
    const next = (this.getSequence(topic, partition) + by + SEQUENCES) % SEQUENCES;
    this.sequences.set(`${topic}/${partition}`, next);
  }

  isInitialized(): boolean {
    return true;
  }

  /** The records are not transactional; only the identity comes from a transactional id. */
  isTransactional(): boolean {
    return false;
  }

  async acquireBrokerLock({ nodeId }: { readonly nodeId: unknown }): Promise<void> {
    for (let before = this.busy.get(nodeId); before; before = this.busy.get(nodeId)) await before.ended;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.busy.set(nodeId, { ended, end });
  }

  releaseBrokerLock({ nodeId }: { readonly nodeId: unknown }): void {
    const held = this.busy.get(nodeId);
    this.busy.delete(nodeId);
    held?.end();
  }
}
