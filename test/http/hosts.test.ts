import { hostname } from 'node:os';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hostCheck, networkUrl, originCheck, originOf } from '../../src/http/hosts.js';

const ALLOWED = 'Dice.Example';
const isHost = hostCheck([ALLOWED]);

/** All texts of a part of each list, in order. */
const joined = (...lists: readonly (readonly string[])[]): readonly string[] =>
  lists.reduce((begun, list) => begun.flatMap((text) => list.map((part) => text + part)), ['']);

const PORTS = ['', ':1', ':65535'];
const ADDRESSES = ['127.0.0.1', '192.168.1.2', '[::1]', '[2001:db8::7]'];
const NAMES = ['localhost', 'a-1.localhost', 'pi.local', ALLOWED, hostname(), hostname().split('.')[0] ?? ''];
const OWN = [...ADDRESSES, ...NAMES];
const FOREIGN = ['evil.example', 'local.example', 'localhost-1.example', 'dice.example.com'];

describe('The name that a server is called by', () => {
  it('is an IP address, localhost, a name of the machine, *.local or an allowed one, with any port', () => {
    const written = NAMES.flatMap((name) => [name, `${name}.`, name.toUpperCase(), name.toLowerCase()]);
    for (const host of joined([...ADDRESSES, ...written], PORTS)) expect(isHost(host), host).to.equal(true);
    expect(isHost(undefined)).to.equal(true);
  });

  it('may not be another, however it is disguised', () => {
    const refused = [
      ...joined(FOREIGN, PORTS),
      ...joined(OWN, ['.evil.example'], PORTS),
      ...joined(OWN, ['@', ':x@', ':80@'], FOREIGN, PORTS),
      ...joined(FOREIGN, ['/', '?', '#', '\\', ' ', '/@', '@'], OWN),
      ...['', ' ', ':80', 'local', 'evil-localhost', 'localhost.evil', '[::1', '::1', 'a..'],
    ];
    for (const host of refused) expect(isHost(host), host).to.equal(false);
  });
});

describe('The origin of a page', () => {
  const SERVER = 'http://dice.local:3000';
  const SCHEMES = ['http://', 'https://'];
  const LOOPBACK = ['localhost', '[::1]', '127.0.0.1', '127.255.3.4', 'a-1.localhost'];

  it('may be localhost, whatever its port and scheme', () => {
    for (const origin of joined(SCHEMES, LOOPBACK, PORTS))
      expect(originCheck([])(origin, SERVER), origin).to.equal(true);
  });

  it('may be the server’s own, by all of it', () => {
    for (const host of joined(FOREIGN, PORTS)) {
      const [http = '', https = ''] = ['http', 'https'].map((protocol) => originOf(protocol, host));
      expect(originCheck([])(http, http), http).to.equal(true);
      for (const other of [https, `${http}1`]) expect(originCheck([])(other, http), other).to.equal(false);
    }
    expect(originOf('https', 'Dice.Example:443')).to.equal('https://dice.example');
    expect(originOf('https', undefined)).to.equal(undefined);
    expect(originOf('https', 'not a host')).to.equal(undefined);
  });

  it('may be no other unless it is allowed, by its name or with all', () => {
    const foreign = [
      ...joined(SCHEMES, FOREIGN, PORTS),
      ...joined(SCHEMES, LOOPBACK, ['.evil.example'], PORTS),
      ...joined(SCHEMES, LOOPBACK, ['@'], FOREIGN),
      ...joined(['ftp://', 'file://', 'chrome-extension://', 'localhost:', ''], LOOPBACK),
      ...['null', '', '*', 'http://', 'http://192.168.1.2'],
    ];
    for (const origin of foreign) {
      expect(originCheck([])(origin, SERVER), origin).to.equal(false);
      expect(originCheck(['https://other.example'])(origin, SERVER), origin).to.equal(false);
      expect(originCheck(['https://other.example', origin])(origin, SERVER), origin).to.equal(true);
      expect(originCheck(['*'])(origin, SERVER), origin).to.equal(true);
    }
  });

  it('may not be empty where the request has no host', () => {
    expect(originCheck([])('', originOf('http', undefined))).to.equal(false);
  });
});

describe('The address of a page for other machines', () => {
  it('has the name of the machine where the server listens on all addresses, and is unknown on loopback', () => {
    for (const address of ['127.0.0.1', '::1', 'localhost'])
      expect(networkUrl(address, 3000)).to.equal(undefined);
    expect(networkUrl('192.0.2.7', 3000)).to.equal('http://192.0.2.7:3000/');
    expect(networkUrl('fe80::1', 3000)).to.equal('http://[fe80::1]:3000/');
    expect(networkUrl('0.0.0.0', 3000)).to.equal(`http://${hostname().toLowerCase()}:3000/`);
    expect(networkUrl('::', 3000)).to.equal(networkUrl('0.0.0.0', 3000));
  });
});
