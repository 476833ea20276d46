import type { Stage } from '#infra/stages/stage';
import type { RecordedSettings } from '#schemas/domain/recorded-settings';
import type { QuestionConventions } from '../events/recognise/question.ts';

/** What processors do differently for each venue. */
export interface VenueBehaviour {
  /** Creates the stage that reads the raw topics of the venue. */
  readonly createNormaliser: (settings: RecordedSettings) => Stage<unknown>;
  /** Creates further stages of what only this venue has; they read its raw topics too. */
  readonly createFurtherStages?: () => readonly Stage<unknown>[];
  /** How its questions are read; empty if sentences state everything. */
  readonly conventions: QuestionConventions;
}
