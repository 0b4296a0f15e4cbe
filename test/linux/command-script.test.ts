import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  commandScript,
  ownVariables,
  plainVariables,
  quoted,
} from '../../simulators/lab/linux/command-script.js';
import { requireUnix } from '../support/require.js';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

describe('The script of a command in a guest', () => {
  it('passes words and variables to the command unchanged', function () {
    requireUnix(this, '/bin/sh');
    const words = ['two words', "it's", '$HOME', '`id`', '', '*', 'ä\n"'];
    const print =
      'process.stdout.write(JSON.stringify([process.cwd(), process.argv.slice(1), process.env.A]))';
    const script = commandScript(
      [process.execPath, '-e', print, '--', ...words],
      '/',
      { A: "b 'c'\n" },
      false,
    );
    const shell = script.replace('echo $$ >/run/leader\n', '');
    expect(JSON.parse(execFileSync('/bin/sh', ['-c', shell], { encoding: 'utf8' }))).to.deep.equal([
      '/',
      words,
      "b 'c'\n",
    ]);
  });

  it('reports the terminal of the guest, and sets the size of this terminal', () => {
    const lines = commandScript(['true'], '/', {}, true).split('\n');
    expect(lines).to.include.members(['tty >/run/tty', 'stty rows $rows cols $columns']);
    expect(commandScript(['true'], '/', {}, false)).to.not.contain('tty');
  });

  it('quotes characters that are special in a shell', () => {
    expect(quoted("it's")).to.equal(`'it'\\''s'`);
  });
});

describe('The environment of a command in a guest', () => {
  const env = { PATH: '/home/a/venv/bin', VIRTUAL_ENV: '/home/a/venv', TERM: 'xterm', DISPLAY: ':0' };

  it('is the environment of this machine without its sockets and the flags of airbench', () => {
    const machine = {
      ...env,
      AIRBENCH_TOKEN: 'secret',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
    };
    expect(ownVariables(machine, false)).to.deep.equal({
      ...{ VIRTUAL_ENV: '/home/a/venv', TERM: 'xterm' },
      PATH: `/home/a/venv/bin:${PATH}:/run/tools`,
    });
  });

  it('prefers programs of packages if the user has named packages', () => {
    expect(ownVariables(env, true)).to.have.property('PATH', `${PATH}:/home/a/venv/bin:/run/tools`);
  });

  it('is a new one on a root of packages', () => {
    expect(plainVariables(env)).to.deep.equal({
      PATH: `${PATH}:/run/tools`,
      HOME: '/root',
      LANG: 'C.UTF-8',
      TERM: 'xterm',
    });
  });
});
