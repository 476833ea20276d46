import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';

/**
 * The command in a record, or why there is none; `unknown_schema` is mended by `codec.learn`. An error is told rather
 * than thrown: whoever reads very many commands asks here for each of them.
 */
export function decodeCommand(codec: Codec, value: Buffer): ControlCommand | CodecError {
  try {
    return codec.decode(commandTopic, value);
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
}
