/** How results are told: as a table for people, as one JSON object for programs. */
import { cpus, totalmem } from 'node:os';
import type { Aim, BenchResult } from './bench.ts';

/** The machine that results were measured on; without it they mean little. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly os: string;
  readonly node: string;
}

/** What `--json` prints. */
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

/** Whether a result reaches its aim; null where nothing is asked. */
export function reaches(result: BenchResult, aim: Aim | null): boolean | null {
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

/** The table, a line for each result under one for the machine. */
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
  const reached = reaches(result, aim);
  return [
    name,
    numberText(value),
    unit,
    baseline === null ? '–' : numberText(baseline),
    ratio === null ? '–' : ratio.toFixed(2),
    aim === null ? '–' : aimText(aim),
    reached === null ? '' : reached ? 'reached' : 'short',
  ];
}

/** Whole from 1,000 up, else two decimals. */
function numberText(value: number): string {
  return Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
