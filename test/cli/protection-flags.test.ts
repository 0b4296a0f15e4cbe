import { Command } from 'commander';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { protectionOptions } from '../../src/cli/options/protection.js';
import { parseFlags, refusalOf } from '../support/flags.js';

const command = (): Command => {
  const made = new Command('server');
  for (const option of protectionOptions()) made.addOption(option);
  return made;
};

describe('The flags of who may use a server', () => {
  for (const [given, origin] of [
    ['https://dashboard.example', 'https://dashboard.example'],
    ['HTTPS://Dashboard.Example:443/', 'https://dashboard.example'],
    ['http://192.168.1.5:8080', 'http://192.168.1.5:8080'],
    ['*', '*'],
    ['null', 'null'],
  ] as const) {
    it(`take ${given} as the origin ${origin}`, () => {
      expect(parseFlags(command(), ['--allow-origin', given])['allowOrigin']).to.deep.equal([origin]);
    });
  }

  for (const [flag, wrong, message] of [
    ...[
      ...['dashboard.example', 'localhost:3000', 'https://a.example/page', 'https://a.example?x'],
      ...['https://me@a.example', 'https://:secret@a.example', 'file:///', ''],
    ].map((origin) => ['--allow-origin', origin, 'it must be an origin such as'] as const),
    ...['dice.example:3000', 'http://dice.example', '*', '.example', ''].map(
      (host) => ['--allow-host', host, 'it must be a name without a port'] as const,
    ),
    ...['proxy.example', '10.0.0.0/33', '999.1.1.1', ''].map(
      (proxy) => ['--trust-proxy', proxy, 'it must be an address, a network'] as const,
    ),
    ['--token-file', '', 'it must not be empty'],
    ['--rate-limit', '-1', 'it must be a whole number from 0'],
  ] as const) {
    it(`refuse "${wrong}" of ${flag}`, () => {
      expect(refusalOf(command(), [`${flag}=${wrong}`])).to.include(message);
    });
  }

  it('are repeatable, and take several with commas', () => {
    const flags = parseFlags(command(), [
      ...['--allow-origin', 'https://a.example,null', '--allow-origin', 'https://b.example'],
      ...['--allow-host', 'a.example', '--allow-host', 'B.example'],
      ...['--trust-proxy', 'loopback,10.0.0.0/8', '--trust-proxy', 'fd00::1'],
    ]);
    expect(flags).to.deep.include({
      allowOrigin: ['https://a.example', 'null', 'https://b.example'],
      allowHost: ['a.example', 'B.example'],
      trustProxy: ['loopback', '10.0.0.0/8', 'fd00::1'],
    });
  });
});
