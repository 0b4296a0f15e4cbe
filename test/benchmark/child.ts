/** Programs that are measured, or that measure, each a process of its own. */
import { fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';

export interface Child<Answer> {
  readonly pid: number;
  /** Its message when it was ready. */
  readonly ready: Answer;
  readonly ask: (question: Serializable) => Promise<Answer>;
  readonly tell: (order: Serializable) => void;
  readonly end: () => Promise<void>;
}

/** `dist/test/benchmark/programs/NAME.js`, which says something by `process.send` when it is ready, and for each question. */
export const startChild = async <Answer>(
  name: string,
  args: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): Promise<Child<Answer>> => {
  const child = fork(new URL(`programs/${name}.js`, import.meta.url), [...args], {
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const answer = async (): Promise<Answer> => {
    const ended = new AbortController();
    try {
      const gone = once(child, 'exit', ended).then(([status]: unknown[]) => {
        throw new Error(`${name} ended with status ${String(status)}`);
      });
      const [said] = (await Promise.race([once(child, 'message', ended), gone])) as [Answer];
      return said;
    } finally {
      ended.abort();
    }
  };
  const ready = await answer();
  return {
    pid: child.pid ?? 0,
    ready,
    ask: (question) => {
      const said = answer();
      child.send(question);
      return said;
    },
    tell: (order) => void child.send(order),
    end: async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
};
