import { systemTime } from '../../async/time.js';

/** The exit status of a program that a signal has interrupted. */
export const INTERRUPTED = 130;

/** Two SIGINTs within this time are one Ctrl-C, ms: the terminal sends one to npm and its child, and npm passes its own on. */
const SAME_MS = 300;

const PARENT_CHECK_MS = 200;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. A second signal, with another name or more than `SAME_MS` later, exits
 * immediately with 130. A signal to npx ends the shell of the program, not the program: the end of the shell calls `stop` too.
 */
export const onStopRequest = (stop: () => void): void => {
  let first: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      const at = systemTime.now();
      if (first === undefined) stop();
      else if (name !== first.name || at - first.at > SAME_MS) process.exit(INTERRUPTED);
      first ??= { name, at };
    });
  if (process.env['npm_lifecycle_event'] !== 'npx') return;
  const { ppid } = process;
  const check = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(check);
    stop();
  }, PARENT_CHECK_MS).unref();
};
