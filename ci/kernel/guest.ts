import { resolve } from 'node:path';
import { factsOf, perKind, type Kind } from '../../src/contract/kinds.js';
import { quoted } from '../../simulators/lab/linux/command-script.js';
import { AIRBENCH } from '../../src/system/package.js';
import type { Air } from './clients.js';
import { START_LIMIT, type Program, type Start } from './program.js';
import type { Report } from './report.js';

const BOOT_LIMIT = 300_000;
const COMMAND_LIMIT = 30_000;

/** The command of airbench in the guest, which has this machine's program. */
export const IN_GUEST = `${quoted(process.execPath)} ${quoted(AIRBENCH)}`;

/** Prepares the guest: without bluetoothd, which would power adapters on. */
export const PREPARATION = 'kill $(pidof bluetoothd)';

/** A standard input without data or end, since btmgmt ends with its input. */
const SILENCE = '/run/silence';

/** The command that attaches a serial line as an adapter, which has the same number until it is plugged in again. */
const attaching = (line: number): string => `btattach -B /dev/hvc${line} -P h4`;

/** A kept guest of `airbench linux` with two adapters, for commands and for programs beside them. */
export class Guest {
  private readonly programs: Program[] = [];

  private constructor(
    private readonly name: string,
    private readonly airbench: Start,
    private readonly kept: Program,
    private readonly shell: Program,
  ) {}

  /** Starts a guest with these flags and the flags of all scenarios, and prepares it. */
  static async boot(airbench: Start, flags: readonly string[]): Promise<Guest> {
    const name = `kernel-${process.pid}`;
    const kept = airbench(['linux', '--keep', name, '--adapters', '2', ...flags]);
    try {
      await kept.says(/takes commands/, BOOT_LIMIT);
      const guest = new Guest(name, airbench, kept, airbench(['linux', '--in', name, '--', 'sh']));
      guest.shell.send(`mkfifo ${SILENCE}`);
      await guest.succeeds(PREPARATION);
      return guest;
    } catch (error) {
      await kept.end('SIGTERM');
      throw error;
    }
  }

  /** Runs a shell command to its end; the status is 124 after the limit. */
  async run(command: string, limit = COMMAND_LIMIT): Promise<{ status: number; output: string }> {
    const limited = `timeout ${limit / 1000} sh -c ${quoted(command)}`;
    this.shell.send(`${limited} <>${SILENCE} 2>&1; printf '\\n=== exit %d\\n' $?`);
    const [, output = '', status = ''] = await this.shell.says(/^([^]*\n)?=== exit (\d+)\n/, 2 * limit);
    return { status: Number(status), output };
  }

  /** The output of a shell command that must end with status 0 and print `expected`. */
  async succeeds(command: string, expected = /(?:)/, limit = COMMAND_LIMIT): Promise<string> {
    const { status, output } = await this.run(command, limit);
    if (status === 0 && expected.test(output)) return output;
    throw new Error(`${command} ended with status ${status}, expected ${expected.source}:\n${output.trim()}`);
  }

  /** Runs airbench in the guest, which must refuse to start for this reason; `user` is the beginning of the command. */
  async refuses(args: string, reason: string, user = ''): Promise<void> {
    const { status, output } = await this.run(`${user} ${IN_GUEST} ${args}`, START_LIMIT);
    if (status === 0 || status === 124 || !output.includes(reason)) throw new Error(output);
  }

  start(command: string): Program {
    const program = this.airbench(['linux', '--in', this.name, '--', 'sh', '-c', `exec ${command}`]);
    this.programs.push(program);
    return program;
  }

  /** Ends the remaining programs of a failed scenario. */
  async release(): Promise<void> {
    for (const program of this.programs.splice(0)) await program.end('SIGINT');
  }

  /** Starts airbench in the guest, and resolves when it is ready; `user` is the beginning of the command. */
  async serves(args: string, user = ''): Promise<Program> {
    const program = this.start(`${user} ${IN_GUEST} ${args}`);
    await program.says(/^(\w+ server|control API|adapter) .*\n/m, START_LIMIT);
    return program;
  }

  /** Runs a program that reads commands from a terminal; after `quit`, the program must end. */
  async converse(command: string, talk: (program: Program) => Promise<unknown>, echo = false): Promise<void> {
    const typed = echo ? command : `sh -c "stty -echo; exec ${command}"`;
    const program = this.start(`script --quiet --return --command ${quoted(typed)} /dev/null`);
    try {
      await talk(program);
    } finally {
      program.send('quit');
      await program.end();
    }
  }

  /** Starts bluetoothd with a configuration file, and resolves when it has both adapters. */
  async bluetoothd(file: string): Promise<Program> {
    const bluetoothd = this.start(`bluetoothd --nodetach --configfile=${quoted(file)}`);
    const hasBoth = '[ "$(timeout 5 bluetoothctl list | grep -c Controller)" = 2 ]';
    await this.succeeds(`until ${hasBoth}; do sleep 0.2; done`);
    return bluetoothd;
  }

  /** Runs bluetoothctl beside a bluetoothd with this configuration and both adapters. */
  async bluetoothctl(
    configuration: string,
    talk: (bluetoothctl: Program) => Promise<unknown>,
    echo = false,
  ): Promise<void> {
    const bluetoothd = await this.bluetoothd(resolve(`ci/kernel/bluetooth/${configuration}.conf`));
    try {
      await this.converse('bluetoothctl', talk, echo);
    } finally {
      await bluetoothd.stop();
    }
  }

  /** Powers an adapter on from any state, and checks the state afterwards. */
  async powerOn(index: number): Promise<void> {
    const command = `timeout 10 btmgmt --index ${index} power on && hciconfig hci${index}`;
    await this.succeeds(command, /UP RUNNING/);
  }

  async addressOf(adapter: string): Promise<string> {
    return /BD Address: (\S+)/.exec(await this.succeeds(`hciconfig ${adapter}`))?.[1] ?? '';
  }

  /** Unplugs the adapter of a serial line, and waits until the kernel has removed it. */
  async unplug(line: number): Promise<void> {
    const isThere = `[ -e /sys/class/bluetooth/hci${line} ]`;
    // With the brackets, the pattern does not match this command.
    await this.succeeds(`pkill -f '[b]${attaching(line).slice(1)}'; while ${isThere}; do sleep 0.1; done`);
  }

  /** Attaches a serial line as an adapter again, without waiting for the adapter. */
  plug(line: number): void {
    this.airbench(['linux', '--in', this.name, '--', 'sh', '-c', attaching(line)]);
  }

  async end(): Promise<void> {
    await this.kept.end('SIGINT');
  }
}

/** The port of each server, and of the control API. */
export type Ports = Readonly<Record<Kind | 'control', number>>;

export const GUEST_PORTS: Ports = { ...perKind((kind) => factsOf(kind).rigPort), control: 3100 };

export interface Setup {
  readonly guest: Guest;
  /** The radio of the guest's adapters. */
  readonly air: Air;
  readonly hci: string;
  readonly report: Report;
  readonly airbench: Start;
  readonly ports: Ports;
  readonly signal: AbortSignal;
}
