import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { SLICE_MS } from '../../../src/async/slices.js';
import {
  ApiConnection,
  CLOSE_MS,
  messages,
  plainFraming,
  type AnyMessage,
  type ConnectionEnd,
} from '../../../src/protocols/esphome/index.js';
import { signalled } from '../../support/bluetooth-fixture.js';
import { manualTime } from '../../support/manual-time.js';

/** An open connection. */
const opened = async (
  socket: Duplex,
  message: (message: AnyMessage) => void = () => undefined,
  ended: () => void = () => undefined,
) => {
  const time = manualTime();
  const ends: ConnectionEnd[] = [];
  const connection = await new Promise<ApiConnection>((resolve) => {
    new ApiConnection({
      ...{ socket, time, frame: plainFraming, ready: resolve, message },
      ended: (end) => {
        ends.push(end);
        ended();
      },
    });
  });
  return { time, ends, connection };
};
/** A connection to a side that reads nothing. */
const stuck = async () => {
  const socket = new Duplex({ read: () => undefined, write: () => undefined });
  return { ...(await opened(socket)), socket };
};

describe('A connection of the ESPHome API to a side that reads nothing', () => {
  it('is cut some seconds after it is closed, and leaves no timer', async () => {
    const { time, ends, socket, connection } = await stuck();
    connection.send('PingRequest');
    connection.close();
    expect(ends).to.deep.equal([{ _tag: 'Ended' }]);
    await time.pass(CLOSE_MS - 1);
    expect(socket.destroyed).to.equal(false);
    await time.pass(1);
    expect([socket.destroyed, time.pending]).to.deep.equal([true, 0]);
  });

  it('is cut at once when too many bytes wait', async () => {
    const { time, ends, socket, connection } = await stuck();
    const data = Buffer.alloc(60_000);
    for (let sent = 0; sent < 100; sent += 1) connection.send('ReadResponse', { data });
    expect(ends).to.deep.equal([{ _tag: 'Ended', reason: 'it does not read its messages' }]);
    expect([socket.destroyed, time.pending]).to.deep.equal([true, 0]);
  });
});

describe('A probe of a connection of the ESPHome API', () => {
  it('ends it if nothing comes back within 5 s', async () => {
    const { time, ends, connection } = await stuck();
    await time.pass(1);
    for (let probes = 0; probes < 2; probes += 1) connection.probe();
    await time.pass(4_999);
    expect(ends).to.deep.equal([]);
    await time.pass(1);
    expect([ends, time.pending]).to.deep.equal([[{ _tag: 'Silent', ms: 5_001 }], 0]);
  });

  it('leaves a connection whose other side answers', async () => {
    const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
    const { time, ends, connection } = await opened(socket);
    await time.pass(1);
    connection.probe();
    await time.pass(4_999);
    socket.push(Buffer.of(0, 0, messages.PingResponse.id));
    await new Promise((resolve) => setImmediate(resolve));
    await time.pass(5_000);
    expect(ends).to.deep.equal([]);
    connection.close();
  });
});

describe('A connection of the ESPHome API to a side that sends without end', () => {
  it('works in slices, and reads nothing more while messages wait', async () => {
    const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
    let count = 0;
    const { time } = await opened(socket, () => {
      count += 1;
      time.advance(SLICE_MS);
    });
    const frame = Buffer.of(0, 0, messages.WriteResponse.id);
    socket.push(Buffer.concat([frame, frame, frame]));
    const states: (readonly [number, boolean])[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      states.push([count, socket.isPaused()]);
    }
    expect(states.at(0)).to.deep.equal([2, true]);
    expect(states.at(-1)).to.deep.equal([3, false]);
  });

  it('handles all messages that came before the end', async () => {
    const socket = new Duplex({
      ...{ allowHalfOpen: false, read: () => undefined },
      write: (_bytes, _encoding, done) => done(),
    });
    let count = 0;
    const { promise, fulfil } = signalled();
    const take = (): void => {
      count += 1;
      time.advance(SLICE_MS);
    };
    const { time, ends } = await opened(socket, take, fulfil);
    const frame = Buffer.of(0, 0, messages.WriteResponse.id);
    socket.push(Buffer.concat([frame, frame, frame, frame]));
    await new Promise((resolve) => setImmediate(resolve));
    // net.Socket ends in this way even while it is paused.
    socket.push(null);
    socket.read(0);
    await promise;
    expect([count, ends]).to.deep.equal([4, [{ _tag: 'Ended' }]]);
  });
});
