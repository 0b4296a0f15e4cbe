import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { SerialLog } from './log.js';
import { startMachine, type KernelMachine } from './machine.js';

/** The output of a command, and its exit status. */
export interface Outcome {
  readonly status: number;
  readonly output: string;
}

/** Milliseconds; starting under emulation takes about four seconds, on a loaded machine many times that. */
const BOOT_LIMIT = 300_000;
const COMMAND_LIMIT = 30_000;

/** Characters of what the guest said, in the report of a wait in vain. */
const MOST_SHOWN = 2_000;

/** Escape sequences of a terminal, and carriage returns. */
// eslint-disable-next-line no-control-regex -- they are made of control characters
const TERMINAL = /\x1b\[[\d;?]*[A-Za-z]|[\x01\x02\r]/g;

/** The beginning of an escape sequence whose rest is still to come. */
// eslint-disable-next-line no-control-regex -- as above
const UNFINISHED = /\x1b(?:\[[\d;?]*)?$/;

/** The machine in QEMU: commands go in at its first serial line and what they print comes out there. */
export class Guest {
  private unread = '';
  private readonly changed = new EventTarget();
  private stderr = '';
  private ended = false;

  private constructor(
    private readonly qemu: ChildProcess,
    private readonly log: SerialLog,
  ) {
    let cut = '';
    qemu.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const whole = cut + text;
      cut = UNFINISHED.exec(whole)?.[0] ?? '';
      const plain = whole.slice(0, whole.length - cut.length).replace(TERMINAL, '');
      log.received(plain);
      this.unread += plain;
      this.changed.dispatchEvent(new Event('change'));
    });
    qemu.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      log.note(`# qemu: ${text.trim()}`);
    });
    qemu.on('error', (error) => {
      this.stderr += error.message;
      if (qemu.pid === undefined) this.gone();
    });
    qemu.once('close', () => this.gone());
  }

  /** Resolves when the guest takes commands; its kernel's release. */
  static async boot(
    machine: KernelMachine,
    log: SerialLog,
    signal: AbortSignal,
  ): Promise<{ guest: Guest; release: string }> {
    const guest = new Guest(startMachine(machine, signal), log);
    try {
      const [, release = ''] = await guest.waitFor(/=== ready (.*)\n/, 'the guest to start', BOOT_LIMIT);
      return { guest, release };
    } catch (error) {
      await guest.end();
      throw error;
    }
  }

  /** Runs a shell command to its end. */
  async run(command: string, limit = COMMAND_LIMIT): Promise<Outcome> {
    this.send(command);
    return this.outcome(command, limit);
  }

  /** Runs a shell command that must end with status 0. */
  async succeeds(command: string, limit = COMMAND_LIMIT): Promise<Outcome> {
    const outcome = await this.run(command, limit);
    if (outcome.status === 0) return outcome;
    throw new Error(`${command} ended with status ${outcome.status}:\n${outcome.output.trim()}`);
  }

  /** Runs a program that reads commands line by line; it gets `bye` in any case and has to end. */
  async converse(command: string, talk: () => Promise<void>, bye: string): Promise<void> {
    this.send(`${command} </dev/ttyS0`);
    try {
      await talk();
    } finally {
      this.send(bye);
      await this.outcome(command, COMMAND_LIMIT);
    }
  }

  send(line: string): void {
    this.log.note(`> ${line}`);
    this.qemu.stdin?.write(`${line}\n`);
  }

  /**
   * Waits for output of the guest, reads to the end of it and resolves with the match; what comes before it is read too.
   * @throws a message with `what` when it has not come within `limit` milliseconds.
   */
  async waitFor(pattern: RegExp, what: string, limit = COMMAND_LIMIT): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(limit);
    for (;;) {
      const match = pattern.exec(this.unread);
      if (match !== null) {
        this.unread = this.unread.slice(match.index + match[0].length);
        return match;
      }
      if (this.ended) throw new Error(`waiting for ${what}, QEMU ended: ${this.stderr.trim()}`);
      if (deadline.aborted) {
        const said = this.unread.slice(-MOST_SHOWN).trim();
        throw new Error(`waited ${limit / 1000} s for ${what}; what the guest said:\n${said}`);
      }
      await once(this.changed, 'change', { signal: deadline }).catch(() => undefined);
    }
  }

  /** Ends QEMU in any state of the guest. */
  async end(): Promise<void> {
    if (this.ended) return;
    const closed = once(this.qemu, 'close');
    this.qemu.kill('SIGKILL');
    await closed;
  }

  private gone(): void {
    this.ended = true;
    this.changed.dispatchEvent(new Event('change'));
  }

  private async outcome(command: string, limit: number): Promise<Outcome> {
    const [said, status] = await this.waitFor(
      /^([^]*\n)?=== exit (\d+)\n/,
      `the guest to have run ${JSON.stringify(command)}`,
      limit,
    ).then(([, output = '', status = '']) => [output, Number(status)] as const);
    return { status, output: said };
  }
}
