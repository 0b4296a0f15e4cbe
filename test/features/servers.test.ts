import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Skip } from '../../features/actors/skip.js';
import { Servers } from '../../features/support/servers.js';

const FIRST = {
  ...{ name: 'airbench clock server', version: '0.1.0', commit: null },
  ...{ started: '2026-03-01T09:00:00.000Z', node: 'v22.1.0', radios: [] },
};
const RESTARTED = { ...FIRST, started: '2026-03-01T10:00:00.000Z' };

describe('The servers of a run', () => {
  let server: Server;
  let url: string;
  let software: object;
  let servers: Servers;
  const scenario = { kind: 'clock', own: undefined } as const;

  beforeEach(async () => {
    software = FIRST;
    server = createServer((_request, response) => response.end(JSON.stringify(software)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    servers = new Servers([{ name: 'clock server', url, about: FIRST }]);
  });
  afterEach(() => server.close());

  const end = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };

  /** The findings, with times as `TIME`. */
  const findings = async (mayRestart = false): Promise<readonly object[]> => {
    const seen = await servers.observe(scenario, 'Subscribing', mayRestart);
    return seen.map((finding) => ({
      ...finding,
      text: finding.text.replaceAll(/\d\d:\d\d:\d\d UTC/g, 'TIME'),
    }));
  };

  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('have findings of a restart and of another version, each once', async () => {
    expect(await findings()).to.be.empty;
    software = RESTARTED;
    expect(await findings()).to.deep.equal([
      {
        text: 'the clock server was restarted between TIME and TIME: still version 0.1.0, during the scenario "Subscribing"',
        changedVersion: false,
      },
    ]);
    software = { ...RESTARTED, version: '0.2.0', commit: 'abc' };
    expect(await findings()).to.deep.equal([
      {
        text: 'the clock server was exchanged between TIME and TIME: version 0.1.0, then version 0.2.0 of commit abc, during the scenario "Subscribing"',
        changedVersion: true,
      },
    ]);
    expect(await findings()).to.be.empty;
  });

  it('may be restarted by a scenario that starts servers', async () => {
    software = RESTARTED;
    expect(await findings(true)).to.be.empty;
  });

  it('explain the failure of a step by a server that has ended, and end the run without any server', async () => {
    const error = new Error('no message that fits');
    expect(await servers.explain(scenario, error)).to.equal(error);
    await end();
    const sentence = `the clock server at ${url} does not answer any more: connection refused`;
    expect(await servers.explain(scenario, error)).to.have.property('message', sentence);
    expect(servers.answers(url)).to.equal(false);
    expect(await findings()).to.deep.equal([
      { text: `${sentence}, after its last answer at TIME, during the scenario "Subscribing"` },
    ]);
    expect(await findings()).to.be.empty;
    expect(await failure(servers.require('clock')))
      .to.be.an.instanceOf(Skip)
      .with.property('reason', `the run has ended: ${sentence}`);
  });

  it('fail the scenarios of an ended server as long as another one answers', async () => {
    const other = createServer((_request, response) => response.end('{}'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const dice = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    servers = new Servers([
      { name: 'dice server', url: dice, about: null },
      { name: 'clock server', url, about: FIRST },
    ]);
    await end();
    await servers.explain(scenario, new Error('no message that fits'));
    expect(String(await failure(servers.require('clock')))).to.contain('does not answer any more');
    expect(await failure(servers.require('dice'))).to.equal(undefined);
    other.close();
  });
});
