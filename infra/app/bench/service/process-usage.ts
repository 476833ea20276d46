/** Reads processor time and anonymous memory of another process. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { anonymousBytesOf } from '../../../telemetry/anonymous-memory.ts';

/** Linux reports processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const KIBIBYTES_PER_MIB = 1_024;
const BYTES_PER_MIB = 1_048_576;

export interface ProcessUsage {
  /** User and system time of all threads since the start. */
  readonly cpuSeconds: number;
  /** Anonymous memory on Linux, resident memory elsewhere. */
  readonly memoryMib: number;
}

export async function readUsage(pid: number): Promise<ProcessUsage> {
  if (process.platform === 'linux') {
    const [stat, status] = await Promise.all(
      ['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    return { cpuSeconds: cpuSecondsOfStat(stat!), memoryMib: anonymousBytesOf(status!) / BYTES_PER_MIB };
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-o', 'rss=', '-p', String(pid)]);
  return usageOfPs(stdout);
}

/** Parses `/proc/<pid>/stat`. The program's name is in parentheses and may contain any character. */
export function cpuSecondsOfStat(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime and stime are fields 14 and 15; the first field after the name is field 3, the state.
  const ticks = Number(fields[14 - 3]) + Number(fields[15 - 3]);
  if (!Number.isInteger(ticks)) throw new Error(`no processor time in ${stat}`);
  return ticks / TICKS_PER_SECOND;
}

/** Parses `ps -o time= -o rss=`: `[[days-]hours:]minutes:seconds[.fraction]` and kibibytes. */
export function usageOfPs(line: string): ProcessUsage {
  const found = /^\s*(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)\s+(\d+)\s*$/.exec(line);
  if (!found) throw new Error(`unexpected output of ps: ${JSON.stringify(line)}`);
  const [days, hours, minutes, seconds, kibibytes] = found.slice(1).map((text) => Number(text ?? 0));
  return {
    cpuSeconds: ((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!,
    memoryMib: kibibytes! / KIBIBYTES_PER_MIB,
  };
}

/** Slope of the regression line through values at equal distances: their growth from one to the next. */
export function slopeOf(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError('a slope needs two values');
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  for (const [nth, value] of values.entries()) {
    above += (nth - middle) * (value - mean);
    below += (nth - middle) ** 2;
  }
  return above / below;
}
