/** The checksum of LZ4 frames: xxHash with 32 bits and seed 0, over data that arrives in chunks. */
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;
const STRIPE_BYTES = 16;

const rotate = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits));
const round = (sum: number, input: number) => Math.imul(rotate((sum + Math.imul(input, PRIME_2)) | 0, 13), PRIME_1);

export class Xxh32 {
  private sum1 = (PRIME_1 + PRIME_2) | 0;
  private sum2 = PRIME_2 | 0;
  private sum3 = 0;
  private sum4 = -PRIME_1 | 0;
  private bytes = 0;
  /** What has arrived of the next stripe. */
  private rest = Buffer.alloc(0);

  update(chunk: Buffer): this {
    this.bytes += chunk.length;
    const data = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    for (; at + STRIPE_BYTES <= data.length; at += STRIPE_BYTES) {
      this.sum1 = round(this.sum1, data.readInt32LE(at));
      this.sum2 = round(this.sum2, data.readInt32LE(at + 4));
      this.sum3 = round(this.sum3, data.readInt32LE(at + 8));
      this.sum4 = round(this.sum4, data.readInt32LE(at + 12));
    }
    // A copy, since the chunk may be overwritten.
    this.rest = Buffer.from(data.subarray(at));
    return this;
  }

  /** The checksum of all bytes so far, 0 or more. */
  digest(): number {
    const { rest } = this;
    let hash = this.bytes < STRIPE_BYTES ? PRIME_5 : this.joinSums();
    hash = (hash + this.bytes) | 0;
    let at = 0;
    for (; at + 4 <= rest.length; at += 4)
      hash = Math.imul(rotate((hash + Math.imul(rest.readInt32LE(at), PRIME_3)) | 0, 17), PRIME_4);
    for (; at < rest.length; at += 1) hash = Math.imul(rotate((hash + Math.imul(rest[at]!, PRIME_5)) | 0, 11), PRIME_1);
    hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
    hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  private joinSums(): number {
    return rotate(this.sum1, 1) + rotate(this.sum2, 7) + rotate(this.sum3, 12) + rotate(this.sum4, 18);
  }
}

/** The checksum of a buffer. */
export function xxh32(data: Buffer): number {
  return new Xxh32().update(data).digest();
}
