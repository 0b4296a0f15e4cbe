/** One line on a terminal with the current step of a command that would be silent for seconds. */
import { systemTime, type Cancel, type TimeSource } from '../../async/time.js';
import { hasStatus, showStatus } from './log.js';

/** How long a command runs before the line is shown, ms. */
const PATIENCE_MS = 500;
const REDRAW_MS = 200;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The text of a step, to which the elapsed seconds are added, or a function of the elapsed seconds. */
type StepText = string | ((seconds: number) => string);

export interface Progress {
  /** Shows the text of a step until the next one begins. */
  readonly step: (text: StepText) => void;
  /** Removes the line: call this before the output of the command. */
  readonly end: () => void;
}

/** `12 s left` of `secs`. */
export const secondsLeft = (secs: number, seconds: number): string =>
  `${Math.max(0, Math.ceil(secs - seconds))} s left`;

type Show = (text: string) => void;

/** `show` gets each text, and '' at the end; null without a terminal. */
export const openProgress = (
  time: TimeSource,
  show: Show | null = hasStatus ? showStatus : null,
): Progress => {
  let text: StepText = '';
  let began = 0;
  let isShown = false;
  let cancel: Cancel | undefined;
  const draw = (): void => {
    isShown = true;
    const seconds = (time.now() - began) / 1000;
    show?.(typeof text === 'string' ? `${text}: ${Math.floor(seconds)} s` : text(seconds));
    cancel = time.after(REDRAW_MS, draw);
  };
  const end = (): void => {
    for (const name of SIGNALS) process.off(name, onSignal);
    cancel?.();
    cancel = undefined;
    if (isShown) show?.('');
    isShown = false;
  };
  /** Runs before all other handlers. If there are no others, the signal ends the process, as without the line. */
  const onSignal = (name: NodeJS.Signals): void => {
    end();
    if (process.listenerCount(name) === 0) process.kill(process.pid, name);
  };
  return {
    step: (next) => {
      if (show === null) return;
      text = next;
      began = time.now();
      if (cancel === undefined) {
        for (const name of SIGNALS) process.prependListener(name, onSignal);
        cancel = time.after(PATIENCE_MS, draw);
      } else if (isShown) {
        cancel();
        draw();
      }
    },
    end,
  };
};

/** Shows the text of a step until `work` is done. */
export const during = <A>(text: StepText, work: () => Promise<A>): Promise<A> => {
  const progress = openProgress(systemTime);
  progress.step(text);
  return work().finally(progress.end);
};
