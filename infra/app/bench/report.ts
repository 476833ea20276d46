/** Formats results as a table, or as one JSON object. */
import { cpus, totalmem } from 'node:os';
import type { Aim, BenchResult } from './bench.ts';

/** The machine on which results were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly os: string;
  readonly node: string;
}

/** Output of `--json`. */
export interface BenchReport {
  readonly machine: Machine;
  readonly results: readonly BenchResult[];
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}

/** True if a result meets its aim; null without an aim. */
export function meetsAim(result: BenchResult, aim: Aim | null): boolean | null {
  if (!aim) return null;
  if ('ratioMin' in aim) return result.ratio !== null && result.ratio >= aim.ratioMin;
  if ('ratioMax' in aim) return result.ratio !== null && result.ratio <= aim.ratioMax;
  return result.value <= ('valueMax' in aim ? aim.valueMax : aim.valueMaxMs);
}

function aimText(aim: Aim): string {
  if ('ratioMin' in aim) return `≥ ${aim.ratioMin}`;
  if ('ratioMax' in aim) return `≤ ${aim.ratioMax}`;
  return 'valueMax' in aim ? `≤ ${aim.valueMax}` : `≤ ${aim.valueMaxMs} ms`;
}

/** Formats a line for the machine and a table with a line for each result. */
export function tableOf(report: BenchReport, aims: Readonly<Record<string, Aim | null>>): string {
  const { machine, results } = report;
  const rows = results.map((result) => cellsOf(result, aims[result.name] ?? null));
  const table = [['name', 'value', 'unit', 'baseline', 'ratio', 'aim', ''], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const { cpu, cores, memoryGib, os, node } = machine;
  return [`${cpu}, ${cores} cores, ${memoryGib} GiB, ${os}, Node ${node}`, '', ...lines].join('\n');
}

function cellsOf(result: BenchResult, aim: Aim | null): string[] {
  const { name, value, unit, baseline, ratio } = result;
  const isMet = meetsAim(result, aim);
  return [
    name,
    numberText(value),
    unit,
    baseline === null ? '–' : numberText(baseline),
    ratio === null ? '–' : ratio.toFixed(2),
    aim === null ? '–' : aimText(aim),
    isMet === null ? '' : isMet ? 'met' : 'missed',
  ];
}

/** Without decimals from 1,000 up, else with two. */
function numberText(value: number): string {
  return Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
