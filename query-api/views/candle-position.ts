/**
 * Follows the position of the stage that makes bars of trades. The bars themselves are in a table, so the view reads the
 * stage's topic with the fewest records, and holds nothing.
 */
import { on, type Stage } from '#infra/stages/stage';
import { candleRangeTopic } from '#schemas/topics/candles';

export const candlePositionView: Stage<null> = {
  name: 'view.candle-position',
  inputs: [on(candleRangeTopic, () => {})],
  outputs: [],
  initialState: () => null,
};
