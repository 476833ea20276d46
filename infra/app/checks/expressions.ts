/** The expressions of alerts and dashboards, and the metrics and labels that they name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from './sources.ts';

const OBSERVABILITY = join(PROJECT_ROOT, 'infra', 'observability');
const DASHBOARDS = join(OBSERVABILITY, 'grafana', 'dashboards');

/** An expression of an alert or a panel. */
export interface Expression {
  /** The alert, or the file of the dashboard. */
  readonly where: string;
  readonly expr: string;
  /** Text that names labels of the result. */
  readonly text: string;
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** The alerts of `alerts.yml`, in its order. */
export function readAlerts(): Alert[] {
  const file = parse(readFileSync(join(OBSERVABILITY, 'alerts.yml'), 'utf8')) as { groups: { rules: Alert[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

/** The expressions of all panels. Grafana's variable is replaced, so that Prometheus can parse them. */
export function readPanels(): Expression[] {
  return readdirSync(DASHBOARDS).flatMap((where) => {
    const { panels } = JSON.parse(readFileSync(join(DASHBOARDS, where), 'utf8')) as {
      panels: { targets: { expr: string; legendFormat: string }[] }[];
    };
    return panels.flatMap(({ targets }) =>
      targets.map(({ expr, legendFormat }) => ({
        where,
        expr: expr.replaceAll('$__rate_interval', '1m'),
        text: legendFormat,
      })),
    );
  });
}

/** All expressions, of alerts and of panels. */
export function readExpressions(): Expression[] {
  const alerts = readAlerts().map(({ alert, expr, annotations }) => ({
    where: alert,
    expr,
    text: annotations.summary,
  }));
  return [...alerts, ...readPanels()];
}

/** Names of the metrics in an expression, without the endings of the series of a histogram. */
export function metricsIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:parallax|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );
}

/**
 * The labels that an expression or its text names and that cannot be there, each with the reason.
 *
 * @param labelsOf the labels of a metric, of which the name may have the ending of a histogram.
 */
export function unknownLabels({ expr, text }: Expression, labelsOf: (metric: string) => readonly string[]): string[] {
  const bare = expr.replace(/"[^"]*"/g, '""');
  const selectors = [...bare.matchAll(/\b(\w+)\{([^}]*)\}/g)].flatMap(([, metric, matchers]) => {
    const labels = [...matchers!.matchAll(/(\w+)\s*[!=]/g)].map(([, label]) => label!);
    return labels.filter((label) => !labelsOf(metric!).includes(label)).map((label) => `${label} of ${metric}`);
  });
  const all = [...bare.matchAll(/\b(?:up|(?:parallax|process|nodejs)_\w+)\b/g)].flatMap(([metric]) => labelsOf(metric));
  const listed = (words: string) =>
    [...bare.matchAll(new RegExp(`\\b(?:${words}) ?\\(([^)]*)\\)`, 'g'))].flatMap(([, list]) => list!.split(/,\s*/));
  const groups = listed('by|on').filter((label) => !all.includes(label));
  const replaced = [...expr.matchAll(/"(\w+)", "\$\d"/g)].map(([, label]) => label!);
  const isAggregated = /^(sum|max|min|avg|count)\b|\b(sum|max|min|avg|count) by\b/.test(expr);
  const results = isAggregated ? [...listed('by'), ...replaced] : [...all, ...replaced];
  const texts = [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z]\w*)[^}]*\}\}/g)].map(([, label]) => label!);
  return [
    ...selectors,
    ...groups.map((label) => `${label} in a list`),
    ...texts.filter((label) => !results.includes(label)).map((label) => `${label} in "${text}"`),
  ];
}
