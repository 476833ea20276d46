/** The consumer group whose committed offsets say how far the topics are in the tables. */
export const SINK_GROUP = 'sink';
