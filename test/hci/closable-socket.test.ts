import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openClosableSocket } from '../../src/ble/hci/closable-socket.js';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { withNativeModule } from '../support/native-module.js';

describe('A closable native socket', () => {
  it('stops when it is closed, and writes nothing afterwards', async () => {
    const calls: string[] = [];
    class Native extends EventEmitter {
      stop(): void {
        calls.push('stop');
      }
      write(): void {
        calls.push('write');
      }
    }
    const { socket, close } = await withNativeModule(
      () => Native,
      () => Promise.resolve(openClosableSocket()),
    );
    socket.write(encodeCommand('leRand', {}));
    close();
    socket.write(encodeCommand('leRand', {}));
    expect(calls).to.deep.equal(['write', 'stop']);
  });
});
