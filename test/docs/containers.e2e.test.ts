/** Checks that the files and commands in the files for containers exist and work, without building an image. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect } from 'chai';
import * as t from 'io-ts';
import { after, describe, it } from 'mocha';
import { parse } from 'yaml';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { rigCommand } from '../../simulators/cli/rig.js';
import { imageProgram, instructions, stages, words } from '../support/containerfile.js';
import { refusalOf } from '../support/flags.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const COMMANDS: Readonly<Record<string, () => Command>> = {
  dice: diceCommand,
  clock: clockCommand,
  rig: rigCommand,
};

const FOLDER = 'docs/production';

describe('The Containerfile', () => {
  after(endPrograms);

  it('copies files that exist, and builds with scripts that exist', () => {
    const copied = instructions('COPY')
      .filter((args) => !args.startsWith('--from'))
      .flatMap((args) => args.split(' ').slice(0, -1));
    expect(copied).to.include('src');
    for (const path of copied) expect(existsSync(path), path).to.equal(true);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const called = [
      ...instructions('RUN')
        .join('\n')
        .matchAll(/npm run (\S+)/g),
    ].map(([, name = '']) => name);
    expect(called).to.have.members(['guest']);
    expect(scripts).to.include.keys(...called);
  });

  it('makes images without root and without build tools', () => {
    for (const stage of ['adapter', 'server']) expect(instructions('USER', stage)).to.deep.equal(['node']);
    expect([...stages.keys()].at(-1)).to.equal('server');
    expect(instructions('RUN', 'build').join()).to.contain('npm prune --omit=dev');
    for (const stage of ['build', 'base'])
      expect(instructions('RUN', stage).join()).to.not.contain('apt-get');
  });

  it('contains everything for a rig, and a healthcheck that fails without a server', async function () {
    requireUnix(this, 'links to folders that anybody may make, nor signals');
    const main = imageProgram();
    const ports = ['clock', 'control', 'hci'].flatMap((part) => [`--${part}-port`, '0']);
    const rig = Program.node([main, 'rig', '--dice-port', '0', ...ports]);
    const url = await rig.url('dice server');
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly openapi: string };
    expect(document.openapi).to.match(/^3\./);
    const health = (await (await fetch(`${url}/health`)).json()) as {
      readonly store: { readonly state: string };
    };
    expect(health.store.state).to.be.oneOf(['opening', 'ok']);

    const check = /CMD (.*)$/.exec(instructions('HEALTHCHECK', 'base')[0] ?? '')?.[1];
    const [, ...args] = words(check);
    const status = async (port: string): Promise<number | null> =>
      (await Program.node(args, { env: { AIRBENCH_PORT: port } }).ended).status;
    expect(await status(new URL(url).port)).to.equal(0);
    expect((await rig.signal('SIGTERM')).status).to.equal(0);
    expect(await status(new URL(url).port)).to.equal(1);
  });
});

const Service = t.intersection([
  t.type({ image: t.string }),
  t.partial({
    build: t.intersection([
      t.type({ context: t.string, dockerfile: t.string }),
      t.partial({ target: t.string }),
    ]),
    command: t.array(t.string),
    environment: t.record(t.string, t.union([t.string, t.null])),
    volumes: t.array(t.string),
  }),
]);

describe('The compose file', () => {
  const file: unknown = parse(readFileSync(`${FOLDER}/compose.yml`, 'utf8'), { merge: true });
  const Compose = t.type({ services: t.record(t.string, Service), volumes: t.record(t.string, t.unknown) });
  if (!Compose.is(file)) throw new Error('the compose file has another form');
  const services = Object.entries(file.services);

  it('has both servers by BlueZ, one on proxies, a simulated world and Prometheus', () => {
    expect(services.map(([name]) => name)).to.have.members([
      'dice',
      'clock',
      'dice-by-proxy',
      'rig',
      'prometheus',
    ]);
    for (const [name, { command = [], volumes = [] }] of services)
      expect(volumes.includes('/run/dbus:/run/dbus:ro'), name).to.equal(command.includes('--bluez'));
  });

  it('gives the data folder of each server a volume', () => {
    expect(instructions('ENV', 'base').join()).to.contain('AIRBENCH_DATA_DIR=/data');
    for (const name of ['dice', 'clock']) expect(file.services[name]?.volumes).to.include(`${name}:/data`);
  });

  for (const [name, { build, command = [], environment = {}, volumes = [] }] of services) {
    it(`names only existing files, flags and variables for ${name}`, () => {
      for (const volume of volumes) {
        const [from = ''] = volume.split(':');
        if (from.startsWith('.')) expect(existsSync(join(FOLDER, from)), from).to.equal(true);
        else if (!from.startsWith('/')) expect(file.volumes).to.have.property(from);
      }
      if (build === undefined) return;
      expect(resolve(FOLDER, build.context)).to.equal(process.cwd());
      expect(existsSync(join(FOLDER, build.context, build.dockerfile))).to.equal(true);
      expect([...stages.keys()]).to.include(build.target ?? 'server');
      const [first = '', ...flags] = command;
      const used = COMMANDS[first]?.() ?? expect.fail(first);
      expect(refusalOf(used, flags)).to.equal('accepted');
      const variables = [
        'AIRBENCH_TOKEN',
        'AIRBENCH_PROXY_KEYS',
        ...used.options.map(({ envVar }) => envVar),
      ];
      expect(variables).to.include.members(Object.keys(environment));
    });
  }
});
