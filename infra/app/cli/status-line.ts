/** Describes in one line what the service is busy with, for the terminal it was started in. */
import type { Backlog, HealthReport } from '../../telemetry/health.ts';

/** Returns null if there is nothing to wait for. */
export function statusLine({ status, parts, extras, backlog }: HealthReport): string | null {
  const waiting = Object.entries(parts).flatMap(([part, text]) => (text === 'starting' ? [part] : []));
  const texts = [
    ...(status === 'starting' && waiting.length > 0 ? [`starting: ${waiting.join(', ')}`] : []),
    ...(extras.playback === 'running' ? [`playing the recording${playedUntil(extras.playedUntil)}`] : []),
    ...(backlog.length > 0 ? [describeBacklog(backlog)] : []),
  ];
  return texts.length === 0 ? null : texts.join(' | ');
}

function playedUntil(time: string | undefined): string {
  return time ? `, at ${time.slice(0, 19).replace('T', ' ')} UTC` : '';
}

function describeBacklog(backlog: readonly Backlog[]): string {
  const worst = backlog.reduce((a, b) => (b.lagSeconds > a.lagSeconds ? b : a));
  const { stage, lagSeconds, records, secondsLeft } = worst;
  const left = secondsLeft === null ? '' : `, about ${duration(secondsLeft)} left`;
  return `catching up: ${stage} is ${duration(lagSeconds)} behind${records === null ? '' : ` (${records.toLocaleString('en-US')} records)`}${left}`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
