/** The scripts of `airbench completion` in real shells, which run them at TAB. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it, type Context } from 'mocha';
import { AIRBENCH, packageFile } from '../../src/system/package.js';
import { endPrograms, environment, Program } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requireProgram, requireUnix } from '../support/require.js';
import { Terminal } from '../support/terminal.js';

const TAB = '\t';
const CLEAR_LINE = '\u0015';

/** The text of an initialisation file after the completion script. It prints the arguments of `airbench` instead of running it. */
const POSIX = `
airbench() { if [ "$1" = completion ]; then command airbench "$@"; else printf 'ran%s\\n' "$(printf ' <%s>' "$@")"; fi; }
PS1='ready> '
`;

/** The initialisation file of each shell, what it has after the completion script, and the shell's command line. */
const SHELLS = {
  bash: { file: 'bashrc', after: POSIX, command: 'bash --rcfile "$FOLDER/bashrc" -i' },
  zsh: {
    file: '.zshrc',
    after: POSIX,
    command: 'zsh -d -i',
  },
  fish: {
    file: 'config.fish',
    after: `
function airbench
    if test "$argv[1]" = completion
        command airbench $argv
    else
        printf 'ran%s\\n' (printf ' <%s>' $argv)
    end
end
function fish_prompt; echo 'ready> '; end
`,
    command: `fish --no-config --init-command 'source $FOLDER/config.fish'`,
  },
};

const scriptOf = async (shell: string): Promise<string> =>
  (await Program.airbench(['completion', shell]).ended).stdout;

describe('The completion script', () => {
  let folder: string;
  beforeEach(function () {
    requireUnix(this, 'bash, zsh and fish');
    folder = newFolder();
  });
  afterEach(endPrograms);

  it('is that of SHELL unless a shell is named', async () => {
    const { stdout } = await Program.airbench(['completion'], { env: { SHELL: '/usr/bin/zsh' } }).ended;
    expect(stdout)
      .to.contain('#compdef airbench')
      .and.equal(await scriptOf('zsh'));
  });

  it('is refused for other shells, with the names of all shells', async () => {
    for (const args of [[], ['tcsh']]) {
      const { status, stdout, stderr } = await Program.airbench(['completion', ...args], {
        env: { SHELL: '/bin/dash' },
      }).ended;
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.match(/^error: .*shell.*bash, zsh, fish\.?\n$/);
    }
  });

  for (const [shell, { file, after, command }] of Object.entries(SHELLS)) {
    /** A shell that has read the script, in a folder with a capture. */
    const open = async (test: Context): Promise<Terminal> => {
      requireProgram(test, shell);
      const programs = join(folder, 'bin');
      mkdirSync(programs);
      symlinkSync(AIRBENCH, join(programs, 'airbench'));
      writeFileSync(join(folder, 'die one.btsnoop'), '');
      writeFileSync(join(folder, file), `cd '${folder}'\n${await scriptOf(shell)}${after}`);
      const terminal = Terminal.running(test, command, {
        ...environment(),
        ...{ TERM: 'dumb', HOME: folder, ZDOTDIR: folder, FOLDER: folder },
        PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`,
      });
      await terminal.shown(/ready> /);
      return terminal;
    };

    it(`for ${shell} has the syntax of ${shell}, and no path of this machine`, async function () {
      requireProgram(this, shell);
      const script = await scriptOf(shell);
      const path = join(folder, 'script');
      writeFileSync(path, script);
      const { status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      for (const place of [homedir(), packageFile(''), process.execPath])
        expect(script).to.not.contain(place);
    });

    it(`completes commands, flags, choices and files at TAB in ${shell}`, async function () {
      const terminal = await open(this);
      for (const [typed, run] of [
        ['di', '<dice>'],
        ['dice --mqtt-pa', '<dice> <--mqtt-password-file>'],
        ['rig --pace=f', '<rig> <--pace=fast>'],
        ['features re', '<features> <report>'],
        ['features --profile se', '<features> <--profile> <seed>'],
        ['replay die', '<replay> <die one.btsnoop>'],
        ['replay --trace=die', '<replay> <--trace=die one.btsnoop>'],
      ] as const) {
        terminal.type(`airbench ${typed}${TAB}\r`);
        await terminal.shown(new RegExp(`ran ${run}`));
      }
      terminal.type('exit\r');
      await terminal.program.ended;
    });

    it(`runs no command of the completed line in ${shell}`, async function () {
      const terminal = await open(this);
      for (const value of ['$(touch hostile)', '"$(touch hostile)"', "';touch hostile;'", '`touch hostile`'])
        terminal.type(`airbench dice --name ${value} --mqtt-pa${TAB}${CLEAR_LINE}`);
      terminal.type(`airbench dice --name '$(touch hostile)' --mqtt-pa${TAB}\r`);
      await terminal.shown(/ran <dice> <--name> <\$\(touch hostile\)> <--mqtt-password-file>/);
      expect(existsSync(join(folder, 'hostile'))).to.equal(false);
      terminal.type('exit\r');
      await terminal.program.ended;
    });
  }
});
