import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { keyOf, readKeyOf, readKeys } from '../../src/cli/options/keys.js';
import { proxyKeys, readProxy } from '../../src/cli/options/proxies.js';
import { proxyAddresses } from '../../src/cli/servers/proxy-addresses.js';
import { left, right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

const KEY = Buffer.alloc(32, 3);
const TEXT = KEY.toString('base64');

describe('Flags for proxies', () => {
  for (const [given, host, port] of [
    ['esphome://kitchen.local', 'kitchen.local', 6053],
    ['esphome://192.168.1.20:6054/', '192.168.1.20', 6054],
    ['esphome://[fe80::1]:6053', 'fe80::1', 6053],
  ] as const)
    it(`read ${given}`, () => {
      expect(readProxy(given)).to.deep.equal(E.right({ host, port }));
    });

  for (const given of [
    'kitchen.local',
    'http://kitchen.local',
    'esphome://',
    'esphome://a:0',
    'esphome://a:65536',
  ])
    it(`refuse ${given}`, () => {
      expect(left(readProxy(given))).to.match(/^it must be auto, or a place such as /);
    });

  it('take one key for all hosts, or keys by host', () => {
    expect(keyOf(right(readKeys(` ${TEXT}\n`)), 'any.local')).to.deep.equal(KEY);
    const keys = right(readKeys(JSON.stringify({ 'Kitchen.local': TEXT })));
    expect(keyOf(keys, 'kitchen.local')).to.deep.equal(KEY);
    expect(keyOf(keys, 'hall.local')).to.equal(undefined);
  });

  it('refuse a key of another length without showing it', () => {
    expect(left(readKeys('c2VjcmV0')))
      .to.match(/^it must be a key of 32 bytes/)
      .and.not.contain('c2VjcmV0');
    expect(left(readKeys('{"kitchen.local": "c2VjcmV0"}'))).to.match(
      /^the key of kitchen.local: it must be a key/,
    );
    expect(left(readKeys('{'))).to.equal('it is not valid JSON');
    expect(left(readKeys('{"a": 1}'))).to.match(/^it must be a JSON object of keys by host/);
  });

  it('refuse a file of keys without the key of the proxy, rather than leave it without encryption', () => {
    const file = join(newFolder(), 'keys.json');
    writeFileSync(file, JSON.stringify({ 'proxy-hall': TEXT }));
    expect(right(readKeyOf(file, 'proxy-hall'))).to.deep.equal(KEY);
    expect(left(readKeyOf(file, 'proxy-attic'))).to.equal(`${file}: it has no key for proxy-attic`);
  });

  it('name the file or the variable of a wrong key', () => {
    const flags = { proxy: [], proxyKeyFile: undefined };
    expect(left(proxyKeys(flags, { AIRBENCH_PROXY_KEYS: 'x' }))).to.match(/^AIRBENCH_PROXY_KEYS: /);
    expect(left(proxyKeys({ ...flags, proxyKeyFile: '/no/such' }, {}))).to.match(
      /^--proxy-key-file: \/no\/such: /,
    );
    expect(right(proxyKeys(flags, {}))('kitchen.local')).to.equal(undefined);
  });

  it('take named proxies and the ones that mDNS finds, each once and with its key', async () => {
    const place = (host: string, name: string) => ({
      ...{ host, port: 6053, name },
    });
    const services = [place('192.0.2.7', 'kitchen'), place('192.0.2.8', 'hall')];
    const proxy = [{ host: 'kitchen.local', port: 6053 }, 'auto'] as const;
    const folder = newFolder();
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify({ 'hall.local': TEXT }));
    const { named, search } = right(proxyAddresses({ proxy, proxyKeyFile: file }, () => TE.right(services)));
    expect(named).to.deep.equal([{ host: 'kitchen.local', port: 6053, key: undefined }]);
    expect(right((await search?.()()) ?? E.left('no search'))).to.deep.equal([
      { host: '192.0.2.8', port: 6053, name: 'hall', key: KEY },
    ]);
    expect(right(proxyAddresses({ proxy: [], proxyKeyFile: file })).search).to.equal(undefined);
  });
});
