/** Derives the fills under registered builders of venue_a from their daily files, and which builders are registered. */
import { on, type Stage } from '#infra/stages/stage';
import { builderDayTopic, builderFillTopic, registeredBuilderTopic } from '#schemas/topics/builder-exports';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { onChange } from './on-change.ts';
import { onPart } from './on-part.ts';
import { type BuilderExportsState, createBuilderExportsState } from './state.ts';

export function createBuilderExportsStage(): Stage<BuilderExportsState> {
  return {
    name: 'builder-exports.venue_a',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    slicedMaps: ['control.idempotency.current.answers', 'control.idempotency.previous.answers', 'days'],
    inputs: [
      on<BuilderExportsState, ControlChange>(changeTopic, onChange),
      on<BuilderExportsState, RawEnvelope>(rawTopic('venue_a', 'builder_fills'), onPart),
    ],
    outputs: [registeredBuilderTopic, builderFillTopic, builderDayTopic],
    initialState: createBuilderExportsState,
  };
}
