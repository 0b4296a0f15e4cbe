import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { H4Stream } from '../../src/ble/hci/h4-stream.js';
import { HostSocket, type HciTransport } from '../../src/ble/hci/host-socket.js';
import { encodeAcl, encodeCommand } from '../../src/ble/hci/packets.js';
import { bytes, text } from '../support/hci-host.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

const RESET = '01 03 0c 00';
/** The time before a lost stream is opened again, and before Reset is sent again. */
const PAUSE_MS = 200;
const COMMAND_MS = 2000;

const RESET_COMPLETE = bytes('04 0E 04 01 03 0C 00');
const READ_ADDRESS = bytes('01 09 10 00');
const HARDWARE_ERROR = bytes('04 10 01 01');
const DATA = encodeAcl(0x40, 0, bytes('01 00 04 00 0B'));
/** A peripheral's request for connection parameters, and a part of the answer. */
const REQUEST = bytes('02 40 20 10 00 0C 00 05 00 12 01 08 00 18 00 28 00 04 00 90 01');
const RESPONSE = '05 00 13 01 02 00 00 00';

/** The test is the controller on the stream, which answers only when a test writes. */
describe('A host’s socket on an H4 stream', () => {
  let server: Server;
  let port: number;
  let time: SteppedTime;
  let socket: HostSocket;
  let streams: Socket[];

  const listen = async (at: number): Promise<void> => {
    server = createServer();
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  };
  const accept = async (): Promise<Socket> => {
    const connection: unknown[] = await once(server, 'connection');
    const stream = connection[0] as Socket;
    streams.push(stream);
    return stream;
  };
  const read = async (stream: Socket): Promise<string> => {
    const chunk: unknown[] = await once(stream, 'data');
    return text(chunk[0] as Buffer);
  };
  /** A new stream, on which the controller is reset first. */
  const acceptReset = async (): Promise<Socket> => {
    const stream = await accept();
    expect(await read(stream)).to.equal(RESET);
    return stream;
  };
  const completeReset = async (stream: Socket): Promise<void> => {
    stream.write(RESET_COMPLETE);
    await once(socket, 'up');
    expect(socket.isDevUp()).to.equal(true);
  };
  /** A stream on which the controller has answered the reset. */
  const up = async (): Promise<Socket> => {
    socket.start();
    const stream = await acceptReset();
    expect(socket.isDevUp()).to.equal(null);
    await completeReset(stream);
    return stream;
  };
  const expectReset = async (stream: Socket): Promise<void> => {
    await time.pass(PAUSE_MS);
    expect(await read(stream)).to.equal(RESET);
  };
  /** The controller sends a packet, which the host receives. */
  const send = async (stream: Socket, packet: Buffer): Promise<void> => {
    const received = once(socket, 'data');
    stream.write(packet);
    await received;
  };

  beforeEach(async () => {
    streams = [];
    await listen(0);
    time = steppedTime();
    socket = new HostSocket(new H4Stream({ kind: 'tcp', host: '127.0.0.1', port }), time);
    socket.on('error', () => undefined);
  });

  afterEach(async () => {
    socket.stop();
    for (const stream of streams) stream.destroy();
    if (server.listening) await once(server.close(), 'close');
  });

  it('repeats a command when the controller does not respond', async () => {
    socket.start();
    await expectReset(await acceptReset());
  });

  it('hides packets from the host until the reset is complete', async () => {
    const received: string[] = [];
    socket.on('data', (packet: Buffer) => received.push(text(packet)));
    socket.start();
    const stream = await acceptReset();
    const stale = bytes('04 05 04 00 40 00 13');
    stream.write(Buffer.concat([stale, RESET_COMPLETE, bytes('04 0E 04 01 01 0C 00')]));
    await once(socket, 'data');
    expect(received).to.deep.equal(['04 0e 04 01 01 0c 00']);
  });

  it('sends packets from before the first reset after it', async () => {
    socket.start();
    socket.write(READ_ADDRESS);
    const stream = await acceptReset();
    await completeReset(stream);
    expect(await read(stream)).to.equal(text(READ_ADDRESS));
  });

  it('opens no stream as the management channel of Linux, to which bleno writes', () => {
    const transport: HciTransport = Object.assign(new EventEmitter(), {
      ...{ resetLimit: PAUSE_MS, open: () => expect.fail('opened'), close: () => undefined },
      write: () => expect.fail('written'),
    });
    const control = new HostSocket(transport, time);
    control.bindControl();
    control.start();
    control.write(READ_ADDRESS);
  });

  it('tells of each change of its state', async () => {
    const states: (boolean | null)[] = [];
    socket.on('state', () => states.push(socket.isDevUp()));
    const stream = await up();
    stream.destroy();
    await once(socket, 'down');
    expect(states).to.deep.equal([true, false]);
  });

  it('resets the controller first; is down when the stream ends, and up again when it can be opened again', async () => {
    const stream = await up();
    stream.destroy();
    await once(socket, 'down');
    expect(socket.isDevUp()).to.equal(false);
    await time.pass(PAUSE_MS);
    await completeReset(await acceptReset());
  });

  it('is down after a Hardware Error of the controller, drops data, and resets the controller', async () => {
    const stream = await up();
    stream.write(HARDWARE_ERROR);
    await once(socket, 'down');
    socket.write(DATA);
    await expectReset(stream);
    await completeReset(stream);
  });

  const CONNECTED = bytes('04 3E 13 01 00 40 00 00 00 01 00 00 00 CE D1 18 00 00 00 90 01 00');
  const UNKNOWN_LINK = bytes('04 0F 04 02 01 06 04');
  const disconnect = encodeCommand('disconnect', { handle: 0x40, reason: 0x13 });

  it('resets a controller that does not know its link: something else has reset it', async () => {
    const stream = await up();
    await send(stream, CONNECTED);
    socket.write(disconnect);
    expect(await read(stream)).to.equal(text(disconnect));
    stream.write(UNKNOWN_LINK);
    await once(socket, 'down');
    await expectReset(stream);
  });

  it('does not reset the controller if a disconnect crosses the end of its link', async () => {
    const stream = await up();
    let downs = 0;
    socket.on('down', () => (downs += 1));
    await send(stream, CONNECTED);
    socket.write(disconnect);
    await read(stream);
    const ended = bytes('04 05 04 00 40 00 08');
    const last = bytes('04 0E 04 01 01 0C 00');
    stream.write(Buffer.concat([ended, UNKNOWN_LINK, last]));
    await new Promise<void>((resolve) => {
      socket.on('data', (packet: Buffer) => packet.equals(last) && resolve());
    });
    expect(downs).to.equal(0);
  });

  it('resets a controller that leaves three commands unanswered', async () => {
    const stream = await up();
    const down = once(socket, 'down');
    for (let command = 0; command < 3; command++) socket.write(disconnect);
    for (let command = 0; command < 3; command++) await time.pass(COMMAND_MS);
    await down;
    await time.pass(PAUSE_MS);
    const sent: Buffer[] = [];
    while (!text(Buffer.concat(sent)).endsWith(RESET))
      sent.push(...((await once(stream, 'data')) as Buffer[]));
  });

  it('gives up a stream that is out of step, and opens another', async () => {
    const stream = await up();
    stream.write(bytes('00'));
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).to.contain('out of step');
    await time.pass(PAUSE_MS);
    await accept();
  });

  it('answers connection parameter requests itself, hidden from the host', async () => {
    const stream = await up();
    const received: string[] = [];
    socket.on('data', (packet: Buffer) => received.push(text(packet)));
    stream.write(REQUEST);
    expect(await read(stream)).to.contain(RESPONSE);
    expect(received).to.deep.equal([]);
  });

  it('sends its own answers, too, only into free buffers of the controller', async () => {
    const stream = await up();
    const sent: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => sent.push(chunk));
    // One buffer, and then a peripheral's request while the host's own packet is in it.
    await send(stream, bytes('04 0E 07 01 02 20 00 FB 00 01'));
    socket.write(DATA);
    stream.write(REQUEST);
    // The update is a command and need not wait for a data buffer.
    while (!text(Buffer.concat(sent)).includes('01 13 20 0e 40 00')) await once(stream, 'data');
    expect(text(Buffer.concat(sent)))
      .to.contain(text(DATA))
      .and.not.contain(RESPONSE);
    stream.write(bytes('04 13 05 01 40 00 01 00'));
    while (!text(Buffer.concat(sent)).includes(RESPONSE)) await once(stream, 'data');
  });

  it('reports a port without a listener, and retries', async () => {
    server.close();
    await once(server, 'close');
    socket.start();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNREFUSED');
    await listen(port);
    await time.pass(PAUSE_MS);
    await acceptReset();
  });

  it('leaves no timer and no stream when it is stopped', async () => {
    const stream = await up();
    socket.stop();
    await once(stream.resume(), 'close');
    // The server closes when all its connections have.
    await once(server.close(), 'close');
    expect(time.pending).to.equal(0);
    expect(socket.isDevUp()).to.equal(false);
  });
});
