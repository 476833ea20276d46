/**
 * Every setting that changes figures, declared once. Each change of one is recorded in `control.settings`, so that a
 * replay derives each figure with the settings of its time. The setting of the service, the field of the record and the
 * settings of the processors follow from this list.
 */

interface DecimalDeclaration {
  readonly kind: 'decimal' | 'positive decimal';
  readonly variable: string;
  readonly fallback: string;
  /** One sentence. */
  readonly description: string;
  /** The value by which figures were derived before the setting was declared; only the first settings have none. */
  readonly before?: string;
}
interface IntegerDeclaration {
  readonly kind: 'integer';
  readonly variable: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly description: string;
  readonly before?: number;
}

/** The settings by name, in the order of the documentation. */
const RECORDED_SETTINGS = {
  arbitrageSize: {
    kind: 'positive decimal',
    variable: 'PARALLAX_ARBITRAGE_SIZE',
    fallback: '100',
    description: 'Number of shares for which arbitrage is calculated.',
  },
  anomalyZ: {
    kind: 'positive decimal',
    variable: 'PARALLAX_ANOMALY_Z',
    fallback: '6',
    description: 'Standard deviations above its baseline at which a value is reported as an anomaly.',
    before: '6',
  },
  venueAOutcomeTakerFee: {
    kind: 'decimal',
    variable: 'PARALLAX_VENUE_A_OUTCOME_TAKER_FEE',
    fallback: '0.0007',
    description: "venue_a_outcome's taker fee rate.",
  },
  venueBConfirmations: {
    kind: 'integer',
    variable: 'PARALLAX_VENUE_B_CONFIRMATIONS',
    fallback: 64,
    min: 1,
    max: 10_000,
    description: 'Blocks above a venue_b trade after which it is confirmed.',
  },
} as const satisfies Readonly<Record<string, DecimalDeclaration | IntegerDeclaration>>;

type Declarations = typeof RECORDED_SETTINGS;
export type RecordedSetting = keyof Declarations;
/** A value of every setting that changes figures; decimals are text. */
export type RecordedSettings = {
  readonly [Name in RecordedSetting]: Declarations[Name]['kind'] extends 'integer' ? number : string;
};

/** Name and declaration of each. */
export const RECORDED_SETTING_ENTRIES = Object.entries(RECORDED_SETTINGS) as [
  RecordedSetting,
  DecimalDeclaration | IntegerDeclaration,
][];
