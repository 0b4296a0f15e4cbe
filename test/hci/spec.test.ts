import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { describeHciSpec, parseHciSpec, type HciSpec } from '../../src/ble/hci/spec.js';

const good: readonly (readonly [string, HciSpec])[] = [
  ['default', { kind: 'default' }],
  ['hci0', { kind: 'native', device: 0 }],
  ['hci123', { kind: 'native', device: 123 }],
  ['hci12', { kind: 'native', device: 12 }],
  ['user:hci0', { kind: 'user', device: 0 }],
  ['user:hci12', { kind: 'user', device: 12 }],
  ['tcp:127.0.0.1:6402', { kind: 'tcp', host: '127.0.0.1', port: 6402 }],
  ['tcp:radio.local:1', { kind: 'tcp', host: 'radio.local', port: 1 }],
  ['tcp:[::1]:65535', { kind: 'tcp', host: '::1', port: 65535 }],
  ['unix:/run/hci.sock', { kind: 'unix', path: '/run/hci.sock' }],
];

const bad = [
  '',
  'hci',
  'hcix',
  'hci-1',
  'hci1000',
  'hci0 ',
  ' hci0',
  'tcp:host:80x',
  'xtcp:host:80',
  'tcp:host:100000',
  'tcp:[::1:80',
  'tcp:::1:80',
  'tcp:[]:80',
  'xunix:/run/hci.sock',
  'unix:/run/hci.sock\n',
  'user:',
  'user:0',
  'user:default',
  'tcp:host',
  'tcp:host:0',
  'tcp:host:65536',
  'tcp::1:80',
  'unix:',
  'usb:1',
];

describe('A stream within the process', () => {
  it('is shown by its name', () => {
    const open = (): Duplex => expect.fail('the stream must not be opened');
    expect(describeHciSpec({ kind: 'own', name: 'the virtual radio', open })).to.equal('the virtual radio');
  });
});

describe('An --hci specification', () => {
  for (const [text, spec] of good) {
    it(`may be ${text}`, () => {
      expect(parseHciSpec(text)).to.deep.equal(E.right(spec));
      expect(describeHciSpec(spec)).to.equal(text);
    });
  }

  for (const text of bad) {
    it(`may not be ${JSON.stringify(text)}, and the message lists the forms`, () => {
      expect(parseHciSpec(text)).to.deep.equal(
        E.left(
          `hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got ${JSON.stringify(text)}`,
        ),
      );
    });
  }
});
