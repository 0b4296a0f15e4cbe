/** The programs of a measurement, each in its own process. */
import type { Serializable } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Program } from '../../simulators/testing/internal/program.js';

export interface Child<Ready> {
  /** The first message of the program. */
  readonly ready: Ready;
  /** Resolves with the answer. */
  readonly ask: <Answer>(question: Serializable) => Promise<Answer>;
  readonly tell: (order: Serializable) => void;
}

const running: Program[] = [];

/** Starts `dist/test/benchmark/programs/NAME.js`; resolves after its first message. */
export const startChild = async <Ready>(
  name: string,
  args: readonly (string | number)[] = [],
): Promise<Child<Ready>> => {
  const file = fileURLToPath(new URL(`programs/${name}.js`, import.meta.url));
  const program = Program.node([file, ...args.map(String)], { tie: 'channel', onLog: console.error });
  running.push(program);
  let resolveAnswer: (answer: unknown) => void = () => undefined;
  program.process.on('message', (answer) => resolveAnswer(answer));
  const next = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      resolveAnswer = (answer) => resolve(answer as Answer);
      void program.ended.then(({ status }) =>
        reject(new Error(`${name} ended with status ${String(status)}`)),
      );
    });
  const ready = await next<Ready>();
  const tell = (order: Serializable): void => void program.process.send(order);
  return {
    ready,
    ask: (question) => {
      const answer = next<never>();
      tell(question);
      return answer;
    },
    tell,
  };
};

/** Ends servers before their radios. */
export const endChildren = async (): Promise<void> => {
  for (const program of running.splice(0).reverse()) await program.close();
};
