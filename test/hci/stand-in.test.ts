import { spawnSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { requireWithStandIn, withSocket } from '../../src/ble/hci/stand-in.js';
import { notInstalled, withNativeModule } from '../support/native-module.js';
import { Air, VirtualSocket } from '../../simulators/radio/index.js';

const require = createRequire(import.meta.url);
const NOBLE_HCI = require.resolve('@abandonware/noble/lib/hci-socket/hci.js');

type HciClass = new (options: object) => { readonly _socket: EventEmitter };

const socket = () => new VirtualSocket(new Air(), { address: 'D1:CE:00:00:00:01' });

describe('The stand-in for the native HCI socket', () => {
  it('lets noble load where the native module is absent', () =>
    withNativeModule(notInstalled, () => {
      Reflect.deleteProperty(require.cache, NOBLE_HCI);
      expect(() => require(NOBLE_HCI) as unknown).to.throw('Cannot find module');
      expect(requireWithStandIn(NOBLE_HCI)).to.be.a('function');
      return Promise.resolve();
    }));

  it('hands its socket to the first host that creates one, and to no other', () => {
    const Hci = requireWithStandIn(NOBLE_HCI) as HciClass;
    const handedSocket = socket();
    const [first, second] = withSocket(handedSocket, () => [new Hci({}), new Hci({})] as const);
    expect(first._socket).to.equal(handedSocket);
    expect(second._socket).to.not.equal(handedSocket);
  });

  it('does not keep an unused socket for later', () => {
    const Hci = requireWithStandIn(NOBLE_HCI) as HciClass;
    const handedSocket = socket();
    withSocket(handedSocket, () => undefined);
    expect(new Hci({})._socket).to.not.equal(handedSocket);
  });

  for (const [environment, output] of [
    [{ DEBUG: 'hci' }, 'hci reset - writing: 01030c00'],
    [{}, ''],
  ] as const) {
    it(`has noble's debug output only on request: ${JSON.stringify(environment)}`, () => {
      const program = `
        import { requireWithStandIn } from ${JSON.stringify(import.meta.resolve('../../src/ble/hci/stand-in.js'))};
        const Hci = requireWithStandIn(${JSON.stringify(NOBLE_HCI)});
        new Hci({}).reset();`;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        env: { ...process.env, DEBUG: undefined, ...environment, DEBUG_HIDE_DATE: '1' },
        encoding: 'utf8',
      });
      expect(status).to.equal(0);
      expect(stderr.trim().replace(/ \+\d+ms$/, '')).to.equal(output);
    });
  }

  it('restores the loader, even if a module throws', () =>
    withNativeModule(notInstalled, () => {
      expect(() => requireWithStandIn('no-such-module')).to.throw('Cannot find module');
      expect(() => require('@abandonware/bluetooth-hci-socket') as unknown).to.throw('Cannot find module');
      return Promise.resolve();
    }));
});
