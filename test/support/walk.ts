/**
 * Runs the commands of a page as a reader would paste them, from an empty folder, and compares their output with the page.
 * In a page:
 *
 * - a block of `sh` has commands; a command that does not end by itself (`STAYS`) runs beside the others;
 * - the plain or JSON block after it is the output of its last command. JSON on the page may leave fields out; `…` is any text;
 * - a block of `console` has commands after `$ `, each with its output;
 * - `> ` in a block is input of the running program, `< ` its output; a block without commands before it is output, too;
 * - a block that begins with the comment `// NAME` or `# NAME`, or has the name after its language, becomes that file;
 * - a block with `needs` and a requirement that a walk lacks (`LACKING`) after its language is not run.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { Arrivals } from '../../simulators/testing/internal/arrivals.js';
import { blocksIn, joinLines, type Block } from './documents.js';
import { newFolder } from './folders.js';
import { walkPrograms } from './walk-programs.js';

/** The requirements that a walk lacks: it has only loopback, no rights, no hardware, and a few seconds. */
export const LACKING: readonly string[] = [
  'root',
  'an adapter',
  'a device',
  'a terminal',
  'a program of yours',
  'a network',
  'the internet',
  'a broker with TLS',
  'Docker',
  'Wireshark',
  'minutes',
];

const ASSIGNED = String.raw`(?:\w+=(?:\$\([^)]*\)|\S)* )*`;

const STAYS = new RegExp(
  `^${ASSIGNED}(?:npx airbench (air|clock|dice|replay|rig)|(npm start)|mosquitto_sub|node -e|node \\S+main\\.js|\\S*python3)\\b`,
);

/** Variables by which all commands of airbench take free ports, and end soon. */
const AIRBENCH_VARIABLES = {
  AIRBENCH_ADDRESS: '127.0.0.1',
  AIRBENCH_PORT: '0',
  AIRBENCH_DICE_PORT: '0',
  AIRBENCH_CLOCK_PORT: '0',
  AIRBENCH_CONTROL_PORT: '0',
  AIRBENCH_HCI_PORT: '0',
  AIRBENCH_SCAN_SECS: '1',
  AIRBENCH_SECS: '1',
};

/** A command with free ports in place of the ports on the page. */
const withFreePorts = (command: string): string => command.replaceAll(/(--(?:\w+-)?port) \d+/g, '$1 0');

/** The names of lines that print an address, in their order, and the ports of these addresses on pages. */
const PAGE_PORTS: Readonly<Record<string, string>> = {
  'dice server': '3000',
  'clock server': '3001',
  'virtual radio': '6402',
  'control API': '3100',
};

/** The address lines of each command. */
const ADDRESS_LINES: Readonly<Record<string, readonly string[]>> = {
  air: ['virtual radio', 'control API'],
  clock: ['clock server'],
  dice: ['dice server'],
  replay: ['virtual radio'],
  rig: Object.keys(PAGE_PORTS),
  'npm start': Object.keys(PAGE_PORTS),
};

/** Addresses on pages, and their replacements for a server at `url`. */
export const placesOf = (name: string, url: string): [string, string][] => {
  const [, host = ''] = /^\w+:(?:\/\/)?([^/]*)/.exec(url) ?? [];
  return ['localhost', '127.0.0.1', 'HOST'].flatMap((pageHost): [string, string][] => [
    [`${pageHost}:${PAGE_PORTS[name] ?? ''}`, host],
    [`${pageHost}/${PAGE_PORTS[name] ?? ''}`, host.replace(':', '/')],
  ]);
};

const END = '\u001e';

/** Output without colours, and without the marks of readline around them. */
const asOnTerminal = (printed: string): string =>
  stripVTControlCharacters(printed)
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trimEnd();

/** Prints the status of the previous command. */
const STATUS = 'echo $?';

export const isCommands = ({ language }: Block): boolean => ['sh', 'console'].includes(language);

/** Text that differs from run to run: ids of sessions and of requests, times, positions of dice, and counts. */
const VARYING: readonly (readonly [shown: RegExp, any: string])[] = [
  [/(?<=")[\w-]{22}(?=")/g, '[\\w-]{22}'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '[\\da-f-]{36}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[\\d-]+T[\\d:.]+Z'],
  [/(?<="[xyz]":)-?\d+/g, '-?\\d+'],
  [/(?<="(?:elapsed_ms|injected|ms|newest)":)\d+(?:\.\d+)?/g, '[\\d.]+'],
  [/(?<=notifications )\d+/g, '\\d+'],
  [/…/g, '.*'],
];

/** A pattern that matches all of `shown`. */
const patternOf = (shown: string): RegExp => {
  const marks: string[] = [];
  const marked = VARYING.reduce(
    (text, [varying, any]) => text.replaceAll(varying, () => `\uE000${marks.push(any) - 1}\uE001`),
    shown,
  );
  const escaped = marked.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => marks[Number(at)] ?? '')}$`,
    's',
  );
};

/** Whether the value of `key` has everything that the page shows of it. */
const holds = (value: unknown, shown: unknown, key = ''): boolean => {
  if (typeof shown !== 'object' || shown === null) {
    const text = (scalar: unknown): string => `"${key}":${JSON.stringify(scalar)}`;
    return typeof value === typeof shown && patternOf(text(shown)).test(text(value));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(shown).every(([name, part]) => holds(Reflect.get(value, name), part, name));
};

/** A program that runs beside the walk. */
class Companion {
  private readonly lines: string[] = [];
  private next = 0;
  private readonly arrivals = new Arrivals();

  constructor(
    private readonly process: ChildProcessWithoutNullStreams,
    command: string,
  ) {
    for (const stream of [process.stdout, process.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        this.arrivals.notify();
      });
    process.once('close', () => this.arrivals.end(`${command} has ended: ${this.lines.join('\n')}`));
  }

  type(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** Waits for the next line that fits, and skips the lines before it. */
  async shown(fits: (line: string) => boolean, description: string): Promise<void> {
    const find = (): number | undefined => {
      const at = this.lines.findIndex((line, index) => index >= this.next && fits(line));
      return at < 0 ? undefined : at + 1;
    };
    this.next = await this.arrivals.until(find, `no ${description}`);
  }

  /** The first line with this beginning; the lines before it are not skipped. */
  line(beginning: string): Promise<string> {
    return this.arrivals.until(
      () => this.lines.find((line) => line.startsWith(beginning)),
      `no ${beginning}`,
    );
  }
}

export interface WalkOptions {
  /** Default: a new folder. */
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Replacements of texts on the page. */
  readonly places?: Readonly<Record<string, string>>;
}

export class Walk {
  private readonly folder: string;
  private readonly shell: ChildProcessWithoutNullStreams;
  private readonly started: ChildProcessWithoutNullStreams[] = [];
  private readonly env: NodeJS.ProcessEnv;
  private output = '';
  private more = (): void => undefined;
  private companion: Companion | undefined;
  /** Texts of the page, and their replacements. */
  private readonly places: [string, string][];

  constructor({ folder = newFolder(), env = {}, places = {} }: WalkOptions) {
    this.folder = folder;
    const path = [walkPrograms(), process.env['PATH']].join(delimiter);
    const STATE_DIRECTORY = newFolder();
    this.env = { ...process.env, ...AIRBENCH_VARIABLES, STATE_DIRECTORY, ...env, PATH: path };
    this.places = Object.entries(places);
    this.shell = spawn('bash', [], { cwd: this.folder, env: this.env });
    this.shell.stdout.on('data', (text: Buffer) => {
      this.output += text.toString();
      this.more();
    });
  }

  async through(part: string): Promise<void> {
    let printed: string | undefined;
    let isRun = true;
    for (const block of blocksIn(part)) {
      if (isCommands(block)) isRun = block.needs === undefined;
      if (!isRun) continue;
      if (block.file !== undefined)
        writeFileSync(join(this.folder, this.placed(block.file)), this.placed(block.text));
      else if (block.language === 'sh') printed = await this.paste(block.text);
      else if (block.language === 'console') await this.follow(block.text);
      else {
        await this.compare(block, printed);
        printed = undefined;
      }
    }
  }

  async end(): Promise<void> {
    for (const child of [...this.started, this.shell]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, 'close');
      child.stdin.end();
      child.kill();
      await closed;
    }
  }

  private placed(text: string): string {
    return this.places.reduce((changed, [pageText, actual]) => changed.replaceAll(pageText, actual), text);
  }

  /** The output of the last command; undefined if that command keeps running. */
  private async paste(block: string): Promise<string | undefined> {
    let printed: string | undefined;
    for (const line of joinLines(block).trimEnd().split('\n')) {
      const command = this.placed(line.replace(/(^|\s+)#.*$/, ''));
      if (command !== '') printed = await this.do(command);
    }
    return printed;
  }

  /** A command whose status is printed next may fail, and ends by itself. */
  private async follow(block: string): Promise<void> {
    const steps = `\n${joinLines(block)}`.split('\n$ ').slice(1);
    for (const [at, step] of steps.entries()) {
      const [command = '', ...shown] = step.trimEnd().split('\n');
      const mayFail = steps[at + 1]?.startsWith(STATUS) ?? false;
      const printed = mayFail
        ? await this.run(this.placed(command), true)
        : await this.do(this.placed(command));
      if (shown.length > 0) await this.compare({ language: '', text: shown.join('\n') }, printed);
    }
  }

  private async do(command: string): Promise<string | undefined> {
    if (!STAYS.test(command)) return this.run(command);
    await this.start(withFreePorts(command));
    return undefined;
  }

  private async run(command: string, mayFail = false): Promise<string> {
    this.output = '';
    const script = `{ ${command}\n} 2>&1 </dev/null; status=$?; printf '${END}%s\\n' $status; (exit $status)\n`;
    this.shell.stdin.write(script);
    const end = new RegExp(`^([^]*)${END}(\\d+)\\n`);
    while (!end.test(this.output))
      await new Promise<void>((done) => {
        this.more = done;
      });
    const [, printed = '', status] = end.exec(this.output) ?? [];
    if (!mayFail) expect(status, `${command}\n${printed}`).to.equal('0');
    return asOnTerminal(printed);
  }

  /** Waits for the addresses of a program of airbench before the walk continues. */
  private async start(command: string): Promise<void> {
    const child = spawn('bash', ['-c', `exec env ${command}`], { cwd: this.folder, env: this.env });
    this.started.push(child);
    const companion = new Companion(child, command);
    const [, program, start = ''] = STAYS.exec(command) ?? [];
    for (const name of ADDRESS_LINES[program ?? start] ?? []) {
      const line = await companion.line(`${name}  `);
      this.places.unshift(...placesOf(name, line.split(/\s{2,}/)[1] ?? ''));
    }
    this.companion = companion;
  }

  private async compare({ language, text }: Block, printed: string | undefined): Promise<void> {
    const shown = this.placed(text).trimEnd();
    if (printed === undefined || printed === '') await this.companionShows(language, shown);
    else {
      const fits =
        language === 'json' ? holds(JSON.parse(printed), JSON.parse(shown)) : patternOf(shown).test(printed);
      expect(fits, `${printed}\nis not\n${shown}`).to.equal(true);
    }
  }

  private async companionShows(language: string, shown: string): Promise<void> {
    const { companion } = this;
    if (companion === undefined) throw new Error(`no running program could show ${shown}`);
    if (language === 'json') {
      const object: unknown = JSON.parse(shown);
      await companion.shown((line) => line.startsWith('{') && holds(JSON.parse(line), object), shown);
      return;
    }
    for (const line of shown.split('\n')) {
      const pattern = patternOf(line);
      if (line.startsWith('> ')) companion.type(line.slice('> '.length));
      else await companion.shown((text) => pattern.test(text), line);
    }
  }
}
