/**
 * Replaces parameters of a statement by typed literals, the way the engine itself replaces `{name:Type}`:
 * `_CAST('text', 'Type')`.
 *
 * chDB binds parameters in state that all connections of the process share, so its client runs every statement with
 * parameters alone, one after the other, and threads of one process can see each other's values. Literals have neither
 * problem. No part of a value can leave its literal: the quote and the backslash are the only ways out and are escaped.
 */
import { type Parameter, StoreError } from './store.ts';

/** Matches strings, quoted names and comments, which are skipped; the remaining alternative is a placeholder. */
const TOKENS =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*(\w+)\s*:\s*([^{}]+?)\s*\}/g;

/** Replaces every placeholder of a statement. Throws `store_rejected` for one without a value. */
export function bindParameters(sql: string, parameters: Readonly<Record<string, Parameter>>): string {
  return replacePlaceholders(sql, (name, type) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) throw new StoreError('store_rejected', `no value for the parameter ${name}`);
    return value === null ? `_CAST(NULL, ${quoted(type)})` : `_CAST(${quoted(parameterText(value))}, ${quoted(type)})`;
  });
}

/** Replaces every `{name:Type}` outside of strings, quoted names and comments. */
export function replacePlaceholders(sql: string, replace: (name: string, type: string) => string): string {
  return sql.replace(TOKENS, (token: string, name?: string, type?: string) =>
    name === undefined || type === undefined ? token : replace(name, type),
  );
}

/** Formats a text as a SQL string literal. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Formats a value as the text from which the engine parses a value of its type. */
function parameterText(value: Exclude<Parameter, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value);
  return `[${value.map(elementText).join(',')}]`;
}

function elementText(value: Parameter): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  return parameterText(value);
}

function numberText(value: number | bigint): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new StoreError('store_rejected', `${value} is not a valid number for a parameter`);
  return String(value);
}
