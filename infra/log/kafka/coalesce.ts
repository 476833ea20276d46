/**
 * Combines the calls of one turn of the event loop into one: a starting process queries a hundred partitions, and each
 * query of its own would be a round trip.
 */
export function coalesce<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: {
    readonly question: Question;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = () => {
    const pending = waiting;
    waiting = [];
    askAll(pending.map(({ question }) => question)).then(
      (answers) => {
        for (const [index, { resolve }] of pending.entries()) resolve(answers[index]!);
      },
      (error) => {
        for (const { reject } of pending) reject(error);
      },
    );
  };
  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ question, resolve, reject });
    });
}
