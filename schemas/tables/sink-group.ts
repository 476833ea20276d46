/** The consumer group whose committed offsets state up to where the tables contain the topics. */
export const SINK_GROUP = 'sink';
