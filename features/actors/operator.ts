/** A person acts, with one screen of a terminal at a time. */
import type { ReadStream } from 'node:tty';
import { Skip } from './skip.js';
import { instruction, task, type Action, type Device } from './actions.js';
import type { Actor } from './actor.js';
import type { Course } from './course.js';
import { interrupt, Interrupted, isInterrupted } from './interruption.js';
import { keysIn, type Key } from './keys.js';
import { render, type Typing } from './screen.js';
import type { Occasion } from './watch.js';

export interface Terminal {
  readonly input: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'setRawMode'>>;
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
}

/** The action under way. */
interface Request {
  /** The number of the action in its scenario, from 1. */
  readonly number: number;
  readonly device: Device;
  readonly action: Action;
  readonly occasion: Occasion | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** In milliseconds of `performance.now()`. */
  deadline: number;
  typing: Typing | undefined;
  noted: string | undefined;
}

/** The alternate screen, without cursor and without wrapping: other output stays in the last cell until the next picture. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const END_OF_LINE = '\u001b[K';
const LAST_CELL = '\u001b[999;999H';

/** How often the screen shows time and events, milliseconds. */
const TICK_MS = 200;

/** How long a step waits before the screen says that an action may be done again, milliseconds. */
const OVERDUE_MS = 3000;

/** How long after the end of an action Enter may still be for it, milliseconds. */
const LATE_MS = 800;

const noun = ({ kind, color }: Device): string =>
  `the ${color === undefined ? '' : `${color} `}${kind === 'clock' ? 'clock' : 'die'}`;

/** Some terminals do not know their size, or say that it is 0. */
const orUsual = (size: number | undefined, usual: number): number =>
  size === undefined || size === 0 ? usual : size;

const taskFor = (device: Device, action: Action): string => task(noun(device), action);

const describe = ({ kind, name, color, address }: Device): string =>
  [name ?? (kind === 'clock' ? 'clock' : 'die'), color, address]
    .filter((part) => part !== undefined)
    .join(' · ');

export class Operator implements Actor {
  readonly tries = true;
  readonly watches = true;
  private request: Request | undefined;
  /** The number and the task of the last action, and the number of its scenario. */
  private last = { scenario: 0, action: 0, task: '' };
  private ticks: NodeJS.Timeout | undefined;
  /** The end of the last action, and of the last one that needed no key. */
  private doneAt = -Infinity;
  private completeAt = -Infinity;

  constructor(
    private readonly terminal: Terminal,
    private readonly secs: number,
    private readonly title: string,
    private readonly course: Course,
  ) {}

  /** Shows the screen until `close`. */
  open(): void {
    if (this.ticks !== undefined) return;
    const { input, output } = this.terminal;
    output.write(ENTER);
    input.setRawMode?.(true);
    input.setEncoding('utf8');
    input.on('data', this.receive);
    input.resume();
    output.on('resize', this.show);
    process.once('exit', this.close);
    this.ticks = setInterval(this.tick, TICK_MS);
    this.show();
  }

  /** Restores the terminal. */
  readonly close = (): void => {
    if (this.ticks === undefined) return;
    clearInterval(this.ticks);
    this.ticks = undefined;
    const { input, output } = this.terminal;
    process.off('exit', this.close);
    output.off('resize', this.show);
    input.off('data', this.receive);
    input.pause();
    input.setRawMode?.(false);
    output.write(LEAVE);
  };

  act(device: Device, action: Action, occasion?: Occasion): Promise<void> {
    this.open();
    const acted = new Promise<void>((resolve, reject) => {
      this.request = {
        number: this.count(device, action),
        ...{ device, action, occasion, resolve, reject },
        ...{ deadline: this.deadline, typing: undefined, noted: undefined },
      };
      if (isInterrupted()) reject(new Interrupted());
    });
    this.tick();
    return acted.finally(() => {
      this.request = undefined;
      this.doneAt = performance.now();
      this.show();
    });
  }

  private count(device: Device, action: Action): number {
    const { number: scenario } = this.course;
    const number = scenario === this.last.scenario ? this.last.action + 1 : 1;
    this.last = { scenario, action: number, task: taskFor(device, action) };
    return number;
  }

  /** The last task of the scenario, while a step waits long for its events. */
  private get overdue(): string | undefined {
    const { number, step, stepAt } = this.course;
    const isLong = step !== '' && performance.now() - Math.max(stepAt, this.doneAt) > OVERDUE_MS;
    return isLong && this.request === undefined && this.last.scenario === number ? this.last.task : undefined;
  }

  private get deadline(): number {
    return performance.now() + this.secs * 1000;
  }

  private readonly tick = (): void => {
    const { request } = this;
    if (
      request !== undefined &&
      request.typing === undefined &&
      request.occasion?.sight()?.complete === true
    ) {
      this.completeAt = performance.now();
      request.resolve();
    }
    if (request !== undefined && performance.now() > request.deadline) {
      const { device, action } = request;
      request.reject(
        new Error(`the operator did not answer within ${this.secs} s: ${instruction(device, action)}`),
      );
    }
    this.show();
  };

  private readonly receive = (chunk: Buffer | string): void => {
    for (const key of keysIn(String(chunk))) {
      if (key.name === 'ctrl-c') this.end();
      else if (this.request !== undefined && !this.isLate(key)) press(this.request, key, this.deadline);
    }
    this.tick();
  };

  /** Whether the key was for the last action, which has ended by itself in the meantime. */
  private isLate({ name }: Key): boolean {
    return name === 'enter' && performance.now() - this.completeAt < LATE_MS;
  }

  private end(): void {
    interrupt();
    this.request?.reject(new Interrupted());
  }

  private readonly show = (): void => {
    if (this.ticks === undefined) return;
    const { columns, rows } = this.terminal.output;
    const { title, course, request } = this;
    const lines = render(
      {
        title,
        course,
        asked: request === undefined ? undefined : shown(request),
        overdue: this.overdue,
        interrupted: isInterrupted(),
      },
      orUsual(columns, 80),
      orUsual(rows, 24),
    );
    this.terminal.output.write(HOME + lines.map((line) => line + END_OF_LINE).join('\r\n') + LAST_CELL);
  };
}

const shown = ({ number, device, action, occasion, deadline, typing, noted }: Request) => ({
  task: taskFor(device, action),
  device: describe(device),
  secondsLeft: Math.max(0, Math.ceil((deadline - performance.now()) / 1000)),
  watched: occasion?.sight()?.text ?? 'nothing: press Enter when it is done',
  ...{ number, typing, noted },
});

/** `deadline`: the new one, since a person who types is there. */
const press = (request: Request, key: Key, deadline: number): void => {
  request.deadline = deadline;
  const { typing } = request;
  if (typing !== undefined) {
    request.typing = edited(typing, key);
    if (key.name === 'enter') submit(request, typing);
  } else if (key.name === 'enter') request.resolve();
  else if (key.name === 'text') command(request, key.text.toLowerCase());
};

const command = (request: Request, key: string): void => {
  if (key === 'a') request.occasion?.again();
  if (key === 's') request.typing = { purpose: 'skip', text: '' };
  if (key === 'n') request.typing = { purpose: 'note', text: '' };
};

const edited = ({ purpose, text }: Typing, key: Key): Typing | undefined => {
  if (key.name === 'text') return { purpose, text: text + key.text };
  if (key.name === 'backspace') return { purpose, text: Array.from(text).slice(0, -1).join('') };
  return undefined;
};

const submit = (request: Request, { purpose, text }: Typing): void => {
  const words = text.trim();
  if (purpose === 'skip')
    request.reject(new Skip(`the operator skipped it${words === '' ? '' : `: ${words}`}`));
  else if (words !== '') {
    request.occasion?.note(words);
    request.noted = words;
  }
};
