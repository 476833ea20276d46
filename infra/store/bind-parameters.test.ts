import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindParameters } from './bind-parameters.ts';

/**
 * Parses one SQL string literal at the start of a text, by the engine's rules; returns its value and the remaining
 * text.
 */
function parseLiteral(sql: string): { value: string; rest: string } {
  let value = '';
  let at = 1;
  while (sql[at] !== "'") {
    if (at >= sql.length) throw new Error(`the literal does not end: ${sql}`);
    if (sql[at] === '\\') at += 1;
    value += sql[at];
    at += 1;
  }
  return { value, rest: sql.slice(at + 1) };
}

describe('bindParameters', () => {
  it('encloses any text in its literal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bound = bindParameters('SELECT {x:String} FROM t', { x: text });
        expect(bound.startsWith("SELECT _CAST('")).toBe(true);
        const { value, rest } = parseLiteral(bound.slice('SELECT _CAST('.length));
        expect(value).toBe(text);
        expect(rest).toBe(", 'String') FROM t");
      }),
    );
  });

  it('encloses texts of a list in their literals', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
        const bound = bindParameters('{x:Array(String)}', { x: texts });
        const { value: list, rest } = parseLiteral(bound.slice('_CAST('.length));
        expect(rest).toBe(", 'Array(String)')");
        let remaining = list.slice(1);
        for (const text of texts) {
          const read = parseLiteral(remaining);
          expect(read.value).toBe(text);
          remaining = read.rest.slice(1);
        }
        expect(remaining).toBe('');
      }),
    );
  });

  it('never replaces placeholders in parameter values', () => {
    expect(bindParameters('{a:String} {b:String}', { a: '{b:String}', b: 'x' })).toBe(
      "_CAST('{b:String}', 'String') _CAST('x', 'String')",
    );
  });

  it('does not change strings, quoted names and comments', () => {
    const sql = `SELECT '{a:String}', 'it''s {a:String}', '\\'{a:String}', "{a:String}", \`{a:String}\` -- {a:String}\n/* {a:String} */`;
    expect(bindParameters(sql, {})).toBe(sql);
  });

  it('continues after the line of a comment', () => {
    expect(bindParameters("-- it's\n{a:UInt8}", { a: 1 })).toBe("-- it's\n_CAST('1', 'UInt8')");
  });

  it('quotes a type that has quotes itself', () => {
    expect(bindParameters("{t:DateTime64(3, 'UTC')}", { t: '0.000' })).toBe(
      "_CAST('0.000', 'DateTime64(3, \\'UTC\\')')",
    );
  });

  it.each([
    [7, "'7'"],
    [18446744073709551615n, "'18446744073709551615'"],
    [true, "'1'"],
    [null, 'NULL'],
    [[1, 2], "'[1,2]'"],
    [[null, 'a'], "'[NULL,\\'a\\']'"],
  ])('writes %s as %s', (x, literal) => {
    expect(bindParameters('{x:T}', { x })).toBe(`_CAST(${literal}, 'T')`);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (x) => {
    expect(() => bindParameters('{x:UInt8}', { x })).toThrow(expect.objectContaining({ code: 'store_rejected' }));
  });

  it('refuses a parameter without a value, also one named like a property of every object', () => {
    expect(() => bindParameters('{x:String}', {})).toThrow('no value for the parameter x');
    expect(() => bindParameters('{toString:String}', {})).toThrow('no value for the parameter toString');
  });
});
