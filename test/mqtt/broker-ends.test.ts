/** Connections that a broker ends before it has answered, and those that a server closes while the broker goes on. */
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { GOODBYE_MS } from '../../src/mqtt/broker.js';
import { signalled } from '../support/bluetooth-fixture.js';
import { steppedTime } from '../support/stepped-time.js';
import { CONNACK, open, tcp } from './opened-broker.js';

/** A message on the topic `x`. */
const MESSAGE = [0x30, 5, 0, 1, 0x78, 0, 0x31];

/** The level in a CONNECT, behind the name of the protocol. */
const levelOf = (bytes: Buffer): number | undefined => bytes[bytes.indexOf('MQTT') + 4];

describe('A connection to a broker', () => {
  for (const [answer, end] of [
    ['refuses MQTT 5 in the form of MQTT 3.1.1', (socket) => socket.end(Buffer.from([0x20, 2, 0, 1]))],
    ['refuses MQTT 5 in the form of MQTT 5', (socket) => socket.end(Buffer.from([0x20, 3, 0, 0x84, 0]))],
    ['ends the connection without an answer', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
  ] as readonly (readonly [string, (socket: Socket) => unknown])[]) {
    it(`is tried with MQTT 3.1.1 at once when the broker ${answer}, and with MQTT 5 at the next retry`, async () => {
      const levels: (number | undefined)[] = [];
      const time = steppedTime();
      const { port } = await tcp((socket) =>
        socket.once('data', (bytes) => {
          levels.push(levelOf(bytes));
          end(socket);
        }),
      );
      const { logLines, logged } = open(`mqtt://127.0.0.1:${port}`, { time });
      await logged('the MQTT broker');
      expect([levels, logLines.length]).to.deep.equal([[5, 4], 1]);
      await time.armed(250);
      await time.pass(250);
      await time.armed(500);
      expect(levels).to.deep.equal([5, 4, 5, 4]);
    });
  }

  it('keeps MQTT 3.1.1 while it lasts if the broker ends one with MQTT 5 without an answer', async () => {
    const levels: (number | undefined)[] = [];
    const { port } = await tcp((socket) =>
      socket.once('data', (bytes) => {
        levels.push(levelOf(bytes));
        if (levels.at(-1) === 5) {
          socket.end();
          return;
        }
        socket.write(Buffer.from([0x20, 2, 0, 0]));
        socket.once('data', (subscribe) => {
          socket.write(Buffer.from([0x90, 3, ...subscribe.subarray(2, 4), 1]));
        });
      }),
    );
    const { broker, opened } = open(`mqtt://127.0.0.1:${port}`);
    await opened();
    expect([levels, broker.connected]).to.deep.equal([[5, 4], true]);
  });

  it('names another client that takes it over, and is made again after growing pauses', async () => {
    const time = steppedTime();
    let connections = 0;
    const { port } = await tcp((socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.write(Buffer.from(CONNACK));
        // DISCONNECT with the reason "session taken over": MQTT 5.0, 3.14.
        socket.once('data', () => socket.end(Buffer.from([0xe0, 2, 0x8e, 0])));
      });
    });
    const { logged, logLines } = open(`mqtt://127.0.0.1:${port}`, {
      ...{ time, client: { id: 'x', name: 'hall' } },
    });
    for (const ms of [30_000, 60_000, 120_000]) await time.pass(ms);
    await time.armed(240_000);
    const line =
      `another server has the name "hall" on the MQTT broker 127.0.0.1:${port}: ` +
      'start one of the two with another --name';
    await logged(line);
    expect([connections, logLines]).to.deep.equal([4, [line]]);
  });

  for (const [stage, isAccepted, isSubscribed] of [
    ['before it is accepted', false, false],
    ['before its subscription is acknowledged', true, false],
    ['while messages come', true, true],
  ] as const)
    it(`leaves no timer and takes no message when it is closed ${stage}, though the broker goes on`, async () => {
      const time = steppedTime();
      const begun = signalled<Socket>();
      let late = [...CONNACK, ...MESSAGE];
      const { port } = await tcp((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          if (isAccepted) socket.write(Buffer.from(CONNACK));
          else begun.fulfil(socket);
          socket.once('data', (subscribe) => {
            const acknowledgement = [0x90, 4, ...subscribe.subarray(2, 4), 0, 1];
            if (isSubscribed) socket.write(Buffer.from(acknowledgement));
            late = isSubscribed ? MESSAGE : [...acknowledgement, ...MESSAGE];
            begun.fulfil(socket);
          });
        });
      });
      const { broker, opened, arrived, received } = open(`mqtt://127.0.0.1:${port}`, { time });
      if (isSubscribed) await opened();
      const socket = await begun.promise;
      const flood = (async () => {
        while (!socket.destroyed) {
          socket.write(Buffer.from(late));
          await turn();
        }
      })();
      if (isSubscribed) await arrived(3);
      const closing = broker.close();
      const taken = received.length;
      await Promise.all([closing, isSubscribed ? time.pass(GOODBYE_MS) : undefined, flood]);
      for (let turns = 0; turns < 10; turns++) await turn();
      expect([time.pending, received.length]).to.deep.equal([0, taken]);
    });
});
