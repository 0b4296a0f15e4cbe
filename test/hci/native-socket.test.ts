import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { NativeSocket } from '../../src/ble/hci/native-socket.js';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { withNativeModule } from '../support/native-module.js';

const RANDOM = encodeCommand('leRand', {});

describe('A native socket', () => {
  let calls: string[];
  /** The effects of calls of the module, in the place of its work. */
  let failures: Partial<Record<string, () => unknown>>;

  /** Behaves like the module: it throws failed binds, and emits all other failures. */
  class Module extends EventEmitter {
    private call(name: string): void {
      calls.push(name);
      failures[name]?.();
    }
    bindUser = (): void => this.call('bindUser');
    isDevUp = (): void => this.call('isDevUp');
    start = (): void => this.call('start');
    stop = (): void => this.call('stop');
    write = (): void => this.call('write');
  }

  beforeEach(() => {
    [calls, failures] = [[], {}];
  });

  const open = (): Promise<NativeSocket> =>
    withNativeModule(
      () => Module,
      () => Promise.resolve(new NativeSocket()),
    );

  /** The error that `work` throws. */
  const thrownBy = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return expect.fail('nothing was thrown');
  };

  it('throws the reason of a system that has no such sockets', async () => {
    class NoSocket extends Module {
      override isDevUp = (): void => {
        const reason = new Error('Address family not supported by protocol');
        this.emit('error', Object.assign(reason, { errno: 97, syscall: 'socket creation failed' }));
      };
    }
    await withNativeModule(
      () => NoSocket,
      () => {
        expect(thrownBy(() => new NativeSocket())).to.include({
          code: 'EAFNOSUPPORT',
          message: 'EAFNOSUPPORT, Address family not supported by protocol',
        });
        return Promise.resolve();
      },
    );
  });

  for (const [text, code] of [
    ['Operation not permitted', 'EPERM'],
    ['Device or resource busy', 'EBUSY'],
    ['Resource busy', 'EBUSY'],
    ['No such device', 'ENODEV'],
    ['Too many users', 'EUSERS'],
  ] as const) {
    it(`gives the failed bind "${text}" the code ${code}, and can be bound later`, async () => {
      const socket = await open();
      failures['bindUser'] = () => {
        throw new Error(text);
      };
      expect(thrownBy(() => socket.bindUser(0))).to.include({ code, message: `${code}, ${text}` });
      failures = {};
      socket.stop();
      socket.bindUser(0);
      expect(calls).to.deep.equal(['isDevUp', 'bindUser', 'bindUser']);
    });
  }

  it('leaves the words of an unknown failure as they are', async () => {
    const socket = await open();
    failures['bindUser'] = () => {
      throw new Error('Operation not possible due to RF-kill');
    };
    expect(thrownBy(() => socket.bindUser(0))).to.have.property(
      'message',
      'Operation not possible due to RF-kill',
    );
  });

  it('stops the thread of the module, and writes nothing afterwards', async () => {
    const socket = await open();
    socket.bindUser(0);
    socket.start();
    socket.write(RANDOM);
    socket.stop();
    socket.write(RANDOM);
    socket.stop();
    expect(calls).to.deep.equal(['isDevUp', 'bindUser', 'start', 'write', 'stop']);
  });

  it('passes on the errors of the module, with their codes, until it stops', async () => {
    const instances: Module[] = [];
    class Instance extends Module {
      constructor() {
        super();
        instances.push(this);
      }
    }
    const socket = await withNativeModule(
      () => Instance,
      () => Promise.resolve(new NativeSocket()),
    );
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    const refused = Object.assign(new Error('Operation not permitted'), { errno: 1, syscall: 'write' });
    instances[0]?.emit('error', refused);
    socket.bindUser(0);
    socket.stop();
    expect(errors.map((error) => (error as NodeJS.ErrnoException).code)).to.deep.equal(['EPERM']);
    expect(instances[0]?.eventNames()).to.deep.equal([]);
  });
});
