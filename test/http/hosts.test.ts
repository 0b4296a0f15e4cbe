import { hostname } from 'node:os';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { hostCheck, networkUrl, originCheck, originOf } from '../../src/http/hosts.js';

const ALLOWED = 'Dice.Example';
const isHost = hostCheck([ALLOWED]);

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const port = fc
  .option(fc.integer({ min: 1, max: 65535 }))
  .map((given) => (given === null ? '' : `:${given}`));
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((given) => `[${given}]`),
);
const ownName = fc
  .oneof(
    fc.constantFrom('localhost', ALLOWED, hostname(), hostname().split('.')[0] ?? ''),
    label.map((name) => `${name}.local`),
    label.map((name) => `${name}.localhost`),
  )
  .chain((name) =>
    fc.constantFrom(
      name,
      `${name}.`,
      name.toUpperCase(),
      `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    ),
  );
const ownHost = fc.oneof(address, ownName);

const isOwn = (name: string): boolean =>
  /(?:^|\.)(?:localhost|local)$/.test(name) ||
  [ALLOWED, hostname(), hostname().split('.')[0]].some((known) => known?.toLowerCase() === name);
const foreign = fc.domain().filter((name) => !isOwn(name));

const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(''));

const refusedHosts = fc.oneof(
  joined(foreign, port),
  joined(ownHost, fc.constant('.evil.example'), port),
  joined(ownHost, fc.constantFrom('@', ':x@', ':80@'), foreign, port),
  joined(foreign, fc.constantFrom('/', '?', '#', '\\', ' ', '/@', '@'), ownHost),
  fc.constantFrom('', ' ', ':80', 'local', 'evil-localhost', 'localhost.evil', '[::1', '::1', 'a..'),
);

describe('The name that a server is called by', () => {
  it('is an IP address, localhost, a name of the machine, *.local or an allowed one, with any port', () => {
    fc.assert(
      fc.property(ownHost, port, (name, at) => {
        expect(isHost(`${name}${at}`), name).to.equal(true);
      }),
    );
    expect(isHost(undefined)).to.equal(true);
  });

  it('may not be another, however it is disguised', () => {
    fc.assert(
      fc.property(refusedHosts, (name) => {
        expect(isHost(name), name).to.equal(false);
      }),
    );
  });
});

const scheme = fc.constantFrom('http://', 'https://');
const loopback = fc.oneof(
  fc.constantFrom('localhost', '[::1]', '127.0.0.1'),
  label.map((name) => `${name}.localhost`),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `127.${rest.join('.')}`),
);
const localOrigin = joined(scheme, loopback, port);
const foreignOrigin = fc.oneof(
  joined(scheme, foreign, port),
  joined(scheme, loopback, fc.constant('.evil.example'), port),
  joined(scheme, loopback, fc.constant('@'), foreign),
  joined(fc.constantFrom('ftp://', 'file://', 'chrome-extension://', 'localhost:', ''), loopback),
  fc.constantFrom('null', '', '*', 'http://', 'http://192.168.1.2'),
);

describe('The origin of a page', () => {
  const OWN = 'http://dice.local:3000';

  it('may be localhost, whatever its port and scheme', () => {
    fc.assert(
      fc.property(localOrigin, (origin) => {
        expect(originCheck([])(origin, OWN), origin).to.equal(true);
      }),
    );
  });

  it('may be the server’s own, by all of it', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), foreign, port, (protocol, name, at) => {
        const origin = originOf(protocol, `${name}${at}`) ?? '';
        expect(originCheck([])(origin, origin)).to.equal(true);
        expect(originCheck([])(`${origin}1`, origin)).to.equal(false);
        expect(
          originCheck([])(origin.replace(/^https?/, protocol === 'http' ? 'https' : 'http'), origin),
        ).to.equal(false);
      }),
    );
    expect(originOf('https', 'Dice.Example:443')).to.equal('https://dice.example');
    expect(originOf('https', undefined)).to.equal(undefined);
    expect(originOf('https', 'not a host')).to.equal(undefined);
  });

  it('may be no other unless it is allowed, by its name or with all', () => {
    fc.assert(
      fc.property(foreignOrigin, (origin) => {
        expect(originCheck([])(origin, OWN), origin).to.equal(false);
        expect(originCheck(['https://other.example'])(origin, OWN), origin).to.equal(false);
        expect(originCheck(['https://other.example', origin])(origin, OWN), origin).to.equal(true);
        expect(originCheck(['*'])(origin, OWN), origin).to.equal(true);
      }),
    );
  });

  it('may not be empty where the request has no host', () => {
    expect(originCheck([])('', originOf('http', undefined))).to.equal(false);
  });
});

describe('The address of a page for other machines', () => {
  it('has the name of the machine where the server listens on all addresses, and is unknown on loopback', () => {
    expect(['127.0.0.1', '::1', 'localhost'].map((one) => networkUrl(one, 3000))).to.deep.equal([
      ...[undefined, undefined, undefined],
    ]);
    expect(networkUrl('192.0.2.7', 3000)).to.equal('http://192.0.2.7:3000/');
    expect(networkUrl('fe80::1', 3000)).to.equal('http://[fe80::1]:3000/');
    expect(networkUrl('0.0.0.0', 3000)).to.equal(`http://${hostname().toLowerCase()}:3000/`);
    expect(networkUrl('::', 3000)).to.equal(networkUrl('0.0.0.0', 3000));
  });
});
