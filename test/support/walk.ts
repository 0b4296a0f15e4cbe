/**
 * Runs the commands of a page as a reader would paste them, from an empty folder, and compares what they print with what the page
 * shows. In a page:
 *
 * - a block of `sh` has commands; one that does not end by itself (`STAYS`) goes on beside the others;
 * - the plain or JSON block behind it is the output of its last command. JSON on the page may leave fields out; `…` is any text;
 * - `> ` in a block is typed into the program that goes on, `< ` is what it prints; so is a block that no command precedes;
 * - a block of code that begins with the comment `// NAME` or `# NAME` becomes that file.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect } from 'chai';
import { Companion } from './companion.js';
import { blocksIn, joinLines, type Block } from './documents.js';
import { newFolder } from './folders.js';
import { holds, patternOf } from './shown.js';

const STAYS =
  /^(?:npx airbench (?:air|clock|dice|replay|rig)|mosquitto_sub|node -e|node \S+main\.js|\S*python3)\b/;

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };

/** What stands for npm and npx: the packages of a walk are the project's own, which is built, so that no registry is needed. */
const NPM = (root: string): string => `#!/bin/sh
[ "$1" = run ] && exit
[ "$1" = install ] || exec "${join(resolve(process.execPath, '..'), 'npm')}" "$@"
shift
link() {
  [ -d "${root}/node_modules/$1" ] || { echo "the project has no $1" >&2; exit 1; }
  mkdir -p "node_modules/$(dirname "$1")"
  ln -sfn "${root}/node_modules/$1" "node_modules/$1"
}
for name; do
  case $name in
    -*) ;;
    ./airbench-*.tgz)
      for dependency in ${Object.keys(dependencies).join(' ')}; do link "$dependency"; done
      ln -sfn "${root}" node_modules/airbench ;;
    *) link "$(echo "$name" | sed 's/\\(.\\)@.*/\\1/')"
  esac
done
`;

const NPX = (root: string): string => `#!/bin/sh
name=$1
shift
[ "$name" = airbench ] && exec "${process.execPath}" "${root}/dist/src/cli/main.js" "$@"
exec "${root}/node_modules/.bin/$name" "$@"
`;

/** Has all commands of ours take free ports. */
const OWN_FLAGS = {
  AIRBENCH_ADDRESS: '127.0.0.1',
  AIRBENCH_PORT: '0',
  AIRBENCH_DICE_PORT: '0',
  AIRBENCH_CLOCK_PORT: '0',
  AIRBENCH_CONTROL_PORT: '0',
  AIRBENCH_HCI_PORT: '0',
};

/** The lines of a rig that say where something can be reached, in their order, and where a page expects it. */
const USUAL: Readonly<Record<string, string>> = {
  'dice server': 'localhost:3000',
  'clock server': 'localhost:3001',
  'virtual radio': '127.0.0.1:6402',
  'control API': 'localhost:3100',
};

const END = '\u001e';

export interface WalkOptions {
  /** An empty one without it. */
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What is there, by the text that stands for it on the page. */
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
  /** What stands on the page, and what is there in its place. */
  private readonly places: [string, string][];

  constructor({ folder = newFolder(), env = {}, places = {} }: WalkOptions) {
    this.folder = folder;
    const bin = newFolder();
    mkdirSync(bin, { recursive: true });
    const root = process.cwd();
    for (const [name, script] of Object.entries({ npm: NPM(root), npx: NPX(root) })) {
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    }
    this.env = { ...process.env, ...OWN_FLAGS, ...env, PATH: [bin, process.env['PATH']].join(delimiter) };
    this.places = Object.entries(places);
    this.shell = spawn('bash', [], { cwd: this.folder, env: this.env });
    this.shell.stdout.on('data', (text: Buffer) => {
      this.output += text.toString();
      this.more();
    });
  }

  /** Walks through a part of a page. */
  async through(part: string): Promise<void> {
    let printed: string | undefined;
    for (const block of blocksIn(part)) {
      const [, name] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(block.text) ?? [];
      if (block.language === 'sh') printed = await this.paste(block.text);
      else if (name !== undefined) writeFileSync(join(this.folder, name), this.placed(block.text));
      else {
        await this.compare(block, printed);
        printed = undefined;
      }
    }
  }

  /** Ends all that goes on. */
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
    return this.places.reduce((changed, [usual, actual]) => changed.replaceAll(usual, actual), text);
  }

  /** The output of the last command; undefined if that goes on. */
  private async paste(block: string): Promise<string | undefined> {
    let printed: string | undefined;
    for (const line of joinLines(block).trimEnd().split('\n')) {
      const command = this.placed(line.replace(/(^|\s+)#.*$/, ''));
      if (command === '') continue;
      if (STAYS.test(command)) await this.start(command);
      printed = STAYS.test(command) ? undefined : await this.run(command);
    }
    return printed;
  }

  private async run(command: string): Promise<string> {
    this.output = '';
    this.shell.stdin.write(`{ ${command}\n} 2>&1 </dev/null; printf '${END}%s\\n' $?\n`);
    const end = new RegExp(`^([^]*)${END}(\\d+)\\n`);
    while (!end.test(this.output))
      await new Promise<void>((done) => {
        this.more = done;
      });
    const [, printed = '', status] = end.exec(this.output) ?? [];
    expect(status, `${command}\n${printed}`).to.equal('0');
    return printed.trimEnd();
  }

  /** A server of ours is up before the walk goes on. */
  private async start(command: string): Promise<void> {
    const child = spawn('bash', ['-c', `exec ${command}`], { cwd: this.folder, env: this.env });
    this.started.push(child);
    const companion = new Companion(child, command);
    const names = command.startsWith('npx airbench rig') ? Object.keys(USUAL) : [];
    for (const name of names) {
      const line = await companion.shown(new RegExp(`^${name}  `));
      this.places.unshift([USUAL[name] ?? '', new URL(line.split(/\s{2,}/)[1] ?? '').host]);
    }
    this.companion = companion;
  }

  private async compare({ language, text }: Block, printed: string | undefined): Promise<void> {
    const shown = this.placed(text).trimEnd();
    if (printed === undefined || printed === '') await this.companionShows(shown);
    else if (language === 'json')
      expect(holds(JSON.parse(printed), JSON.parse(shown)), `${printed}\nis not\n${shown}`).to.equal(true);
    else expect(printed).to.match(patternOf(shown));
  }

  private async companionShows(shown: string): Promise<void> {
    const { companion } = this;
    if (companion === undefined) throw new Error(`nothing goes on that could show ${shown}`);
    for (const line of shown.split('\n')) {
      if (line.startsWith('> ')) companion.type(line.slice('> '.length));
      else await companion.shown(patternOf(line));
    }
  }
}
