import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ApiConnection, CLOSE_MS, plainFraming, type ConnectionEnd } from '../../src/esphome/index.js';
import { manualTime } from '../support/manual-time.js';

/** A connection whose network takes nothing. */
const stuck = async () => {
  const time = manualTime();
  const ends: ConnectionEnd[] = [];
  const socket = new Duplex({ read: () => undefined, write: () => undefined });
  const connection = await new Promise<ApiConnection>((resolve) => {
    new ApiConnection({
      ...{ socket, time, frame: plainFraming, ready: resolve, message: () => undefined },
      ended: (end) => ends.push(end),
    });
  });
  return { time, ends, socket, connection };
};

describe('A connection of the ESPHome API to a side that takes nothing', () => {
  it('is cut some seconds after it was closed, and leaves no timer', async () => {
    const { time, ends, socket, connection } = await stuck();
    connection.send('PingRequest');
    connection.close();
    expect(ends).to.deep.equal([{ _tag: 'Ended' }]);
    await time.pass(CLOSE_MS - 1);
    expect(socket.destroyed).to.equal(false);
    await time.pass(1);
    expect([socket.destroyed, time.pending]).to.deep.equal([true, 0]);
  });

  it('is cut at once when too much waits for it', async () => {
    const { time, ends, socket, connection } = await stuck();
    const data = Buffer.alloc(60_000);
    for (let sent = 0; sent < 100; sent += 1) connection.send('ReadResponse', { data });
    expect(ends).to.deep.equal([{ _tag: 'Ended', reason: 'it does not take what is sent to it' }]);
    expect([socket.destroyed, time.pending]).to.deep.equal([true, 0]);
  });
});
