/** Reads questions about policy rates: a central bank's decision at a meeting, or its moves in a year. */
import { cleanTitle } from './clean-title.ts';
import { parsePeriod } from './dates.ts';
import { plainName } from './plain-words.ts';
import { contextOf } from './price-text.ts';
import { kindOnly, type MarketTexts, type Recognition, yearOfId } from './question.ts';

const BANK = `((?:us )?fed(?:eral reserve)?|fomc|ecb|european central bank|boe|boj|boc|bank of (?:england|japan|canada))(?:'s)?`;
const RATES = `(?:(?:its|interest|policy|key|the|target|deposit|bank) )*rates?`;
const MEETING = String.raw`(?:after|at|in|following) (?:the |their |its )?(\w+(?: 20\d\d)?)(?: (?:fomc |policy )?meeting)?`;
const UP = 'increases?|hikes?|raises?';
const DOWN = 'decreases?|cuts?|lowers?|reduces?';
const MOVE = new RegExp(
  String.raw`^(?:will )?(?:the )?${BANK} (?:to )?(?:(${UP})|${DOWN}) ${RATES} by (above |more than |at least )?(\d+)(\+)? ?(?:bps|basis points) ${MEETING}$`,
  'i',
);
const NO_CHANGE = new RegExp(`^(?:will there be )?no change (?:in|to) (?:the )?${BANK} ${RATES} ${MEETING}$`, 'i');
const HOLD = new RegExp(
  `^(?:will )?(?:the )?${BANK} (?:to )?(?:hold|maintain|keep|leave)s? ${RATES}(?: unchanged| steady)? ${MEETING}$`,
  'i',
);
const COUNT = new RegExp(
  String.raw`^(?:will )?(?:exactly )?(no|\d+)( or more|\+)? ${BANK} rate (cuts?|hikes?)(?: happen)? in (20\d\d)$`,
  'i',
);
const TIMES = new RegExp(String.raw`^will (?:the )?${BANK} (cut|hike) rates (\d+) times?(?: in (20\d\d))?$`, 'i');
const ABOUT_RATES = new RegExp(
  String.raw`\b${BANK}\b.*\b(?:rates?|bps|basis points|hikes?|cuts?)\b|\b(?:rates?|hikes?|cuts?)\b.*\b${BANK}\b`,
  'i',
);

const BANKS: Readonly<Record<string, string>> = {
  'us fed': 'fed',
  'us federal reserve': 'fed',
  'federal reserve': 'fed',
  fomc: 'fed',
  'european central bank': 'ecb',
  boe: 'bank england',
  boj: 'bank japan',
  boc: 'bank canada',
};

/** Reads a question about a policy rate, or returns null. Linkable only if bank, time and size are stated. */
export function readRate(texts: MarketTexts): Recognition | null {
  const title = cleanTitle(texts.title);
  if (!ABOUT_RATES.test(title)) {
    const words = ABOUT_RATES.exec(texts.groupTitle ?? '')?.[0];
    return words === undefined ? null : kindOnly('rate', null, { kind: words });
  }
  return readMeeting(title, texts) ?? readCount(title, texts) ?? kindOnly('rate', null, { kind: title });
}

function readMeeting(title: string, texts: MarketTexts): Recognition | null {
  const [, bank, up, bound = '', size = '', plus = '', meeting] = MOVE.exec(title) ?? [];
  if (bank !== undefined) {
    const isHold = Number(size) === 0;
    const limit = plus || /least/i.test(bound) ? '+' : bound && '>';
    return decision(texts, bank, meeting!, isHold ? 'hold' : up ? 'hike' : 'cut', isHold ? '0' : `${size}${limit}`);
  }
  const [, holdBank, holdMeeting] = NO_CHANGE.exec(title) ?? HOLD.exec(title) ?? [];
  return holdBank === undefined ? null : decision(texts, holdBank, holdMeeting!, 'hold', '0');
}

function decision(texts: MarketTexts, bank: string, meeting: string, action: string, size: string): Recognition | null {
  const month = parsePeriod(meeting, contextOf(texts));
  return month?.unit === 'month' ? compared(bank, month.last.slice(0, 7), action, size, texts.title) : null;
}

function readCount(title: string, texts: MarketTexts): Recognition | null {
  const [, count, more = '', bank, what, year] = COUNT.exec(title) ?? [];
  if (count !== undefined) return times(bank!, year!, what!, count.toLowerCase() === 'no' ? '0' : count, more, title);
  const [, who, action, number, inYear] = TIMES.exec(title) ?? [];
  const endYear = inYear ?? yearOfId(texts);
  // "4 times" may mean at least 4 times, so the subtitle must state it exactly.
  const exact = /^exactly (\d+)/i.exec(texts.groupItemTitle ?? '')?.[1] === number;
  return number === undefined || endYear === null || !exact ? null : times(who!, endYear, action!, number, '', title);
}

function times(bank: string, year: string, action: string, count: string, more: string, title: string): Recognition {
  const found = compared(
    bank,
    year,
    `${action.replace(/s$/i, '').toLowerCase()} times`,
    `${count}${more ? '+' : ''}`,
    title,
  );
  return { ...found, deadline: { day: `${year}-12-31`, atMs: null } };
}

function compared(bank: string, time: string, action: string, size: string, title: string): Recognition {
  const plain = plainName(bank);
  const name = BANKS[plain] ?? plain;
  return {
    ...kindOnly('rate', null, { kind: title }, { bank: name, time, action, size }),
    question: `${name}|${time}|${action}|${size}`,
    linkable: true,
  };
}
