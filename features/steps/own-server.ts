/** Servers that a scenario starts itself, to check their start and their stored data. */
import { networkInterfaces } from 'node:os';
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from '../expect/expect.js';
import { openBroker } from '../support/broker.js';
import { Skip } from '../actors/skip.js';
import { OwnServer } from '../bench/programs.js';
import type { Scenario } from '../support/scenario.js';

const started = ({ bench, kind }: Scenario, flags: readonly string[]): Promise<OwnServer> => {
  const program = bench.programs[kind];
  if (program === undefined) throw new Error('a scenario that starts a server must be tagged @own-server');
  return OwnServer.start(program, flags);
};

const start = async (scenario: Scenario, flags: readonly string[]): Promise<void> => {
  scenario.own = await started(scenario, flags);
};

Given('a server of my own', async function (this: Scenario) {
  await start(this, ['--address', '127.0.0.1', '--port', '0']);
});

Given('a server of my own with {string}', async function (this: Scenario, flags: string) {
  await start(this, ['--address', '127.0.0.1', '--port', '0', ...flags.split(' ')]);
});

Given('a server of my own on a broker', async function (this: Scenario) {
  this.broker = await openBroker(this.patience);
  await start(this, [
    ...['--address', '127.0.0.1', '--port', '0', '--name', 'mine', '--home-assistant'],
    ...this.mqtt.flags,
  ]);
  await this.mqtt.until('the server is online', () => this.mqtt.messages[0]);
});

Given('another server on the broker', async function (this: Scenario) {
  const other = await started(this, [
    ...['--address', '127.0.0.1', '--port', '0', '--name', 'other', '--history', 'off'],
    ...this.mqtt.flags,
  ]);
  this.others.push(other);
});

Given('a server of my own, without an address', async function (this: Scenario) {
  await start(this, ['--port', '0']);
});

When(
  /^my server (ends in order|is killed) and is started again$/,
  async function (this: Scenario, how: 'ends in order' | 'is killed') {
    for (const client of [...this.clients.splice(0), ...this.streams.splice(0)]) client.close();
    await this.own?.restart(how);
  },
);

/** An address other than 127.0.0.1. On Linux and Windows all of 127.0.0.0/8 is this machine. */
const otherAddress = (): string => {
  if (['linux', 'win32'].includes(process.platform)) return '127.0.0.2';
  const outer = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (outer === undefined) throw new Skip('needs another IPv4 address of this machine than 127.0.0.1');
  return outer.address;
};

Then('it answers at 127.0.0.1 and at another address of this machine', async function (this: Scenario) {
  for (const address of ['127.0.0.1', otherAddress()]) {
    const { status } = await fetch(`http://${address}:${this.own?.port ?? ''}/health`, {
      signal: AbortSignal.timeout(this.patience),
    });
    expect(`status at ${address}`, status, 200);
  }
});
