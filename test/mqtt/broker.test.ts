import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, type Context } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { freePort, LOOPBACK, makeCertificate } from '../../features/support/loopback.js';
import { GOODBYE_MS } from '../../src/mqtt/broker.js';
import { CONNECT_MS } from '../../src/mqtt/broker-options.js';
import { STALLED_MS } from '../../src/mqtt/outbox.js';
import { PIECE_BYTES, TURN_MS } from '../../src/mqtt/incoming.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { Consumer, OPEN_TO_ALL, startAedes, startMosquitto, writingOn } from '../support/mqtt.js';
import { newFolder } from '../support/folders.js';
import { requireProgram } from '../support/require.js';
import { steppedTime } from '../support/stepped-time.js';
import { CONNACK, keep, open, tcp, WILL } from './opened-broker.js';

/** Opens a connection to a broker in this process. */
const openHere = async (time?: TimeSource) => {
  const embedded = keep(await startAedes());
  const opened = open(`mqtt://127.0.0.1:${embedded.port}`, time && { time });
  await opened.opened();
  return { ...opened, ...embedded };
};

const consumerOn = async (...parameters: Parameters<typeof Consumer.of>) =>
  keep(await Consumer.of(...parameters));

const mosquittoFor = async (...parameters: Parameters<typeof startMosquitto>): Promise<number> =>
  keep(await startMosquitto(...parameters)).port;

/** The configuration of one more listener of Mosquitto, which does not start with WebSockets alone. */
const webSocketsOn = (port: number): readonly string[] => [
  `listener ${port} ${LOOPBACK}`,
  'protocol websockets',
];

/** An authority, and certificates for the broker and a client that it has signed. */
const makeCertificates = (test: Context) => {
  requireProgram(test, 'openssl');
  const folder = newFolder();
  const ca = makeCertificate(folder, 'ca', []);
  const signed = (name: string) =>
    makeCertificate(folder, name, [
      ...['-CA', ca.cert, '-CAkey', ca.key],
      ...['-addext', `subjectAltName=IP:${LOOPBACK}`],
    ]);
  return { ca: ca.cert, broker: signed('broker'), client: signed('client') };
};

describe('A connection to a broker', () => {
  it('is made when the broker starts, again when it restarts, and sends nothing twice', async () => {
    const port = await freePort();
    const time = steppedTime();
    const { broker, opened, lost, logLines, dropped, logged } = open(`mqtt://127.0.0.1:${port}`, { time });
    await logged('cannot be used');
    broker.publish('events', '1');
    broker.publish('state', 'x', { retain: true });
    expect(dropped()).to.equal(1);
    // Half of the longest pause, since `random` returns 0.
    await time.pass(250);
    await time.armed(500);
    const first = await startAedes(port);
    const begun = opened();
    await time.pass(500);
    await begun;
    const consumer = await Consumer.of(port);
    broker.publish('events', '2');
    expect(await consumer.on('events')).to.equal(2);
    const over = lost();
    await first.close();
    await over;
    await consumer.close();
    keep(await startAedes(port));
    await Promise.all([opened(), time.pass(250)]);
    const other = await consumerOn(port);
    broker.publish('events', '3');
    expect(await other.on('events')).to.equal(3);
    expect(dropped()).to.equal(1);
    expect(logLines).to.deep.equal([
      `the MQTT broker 127.0.0.1:${port} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
      `connected to the MQTT broker 127.0.0.1:${port}`,
      `the connection to the MQTT broker 127.0.0.1:${port} is lost`,
      `connected to the MQTT broker 127.0.0.1:${port}`,
    ]);
  });

  it('ends when a broker stops acknowledging messages, and logs that', async () => {
    const time = steppedTime();
    const { aedes, broker, lost, dropped, logged } = await openHere(time);
    aedes.authorizePublish = () => undefined;
    broker.publish('events', 'x');
    const over = lost();
    await time.pass(STALLED_MS);
    await over;
    await logged('does not acknowledge messages');
    expect(broker.connected).to.equal(false);
    expect(dropped()).to.equal(1);
  });

  it('is closed within the limit of a shutdown, though the broker acknowledges nothing', async () => {
    const time = steppedTime();
    const { aedes, broker } = await openHere(time);
    const arrived = new Promise<void>((resolve) => (aedes.authorizePublish = () => resolve()));
    broker.publish('events', 'x');
    await arrived;
    const disconnected = once(aedes, 'clientDisconnect');
    await Promise.all([broker.close(), time.pass(GOODBYE_MS)]);
    await disconnected;
    expect(aedes.connectedClients).to.equal(0);
  });

  it('starts no timer and logs nothing after its end, though a subscription and messages were on their way', async () => {
    const time = steppedTime();
    const { aedes, broker, port, received, logLines } = await openHere(time);
    const consumer = await consumerOn(port, 'commands/+');
    const arrived = new Promise<void>((resolve) => (aedes.authorizeSubscribe = () => resolve()));
    broker.subscribe(['frozen']);
    await arrived;
    aedes.authorizePublish = (client, _packet, done) => {
      if (client?.id === consumer.client.options.clientId) done(null);
    };
    broker.publish('events', 'x');
    const before = logLines.length;
    const disconnected = once(aedes, 'clientDisconnect');
    const closed = broker.close();
    await consumer.say('commands/late', '{}');
    await consumer.on('commands/late');
    await time.pass(GOODBYE_MS);
    await closed;
    await disconnected;
    broker.subscribe(['late']);
    broker.publish('events', 'late');
    await turn();
    expect([time.pending, received, logLines.slice(before)]).to.deep.equal([0, [], []]);
  });

  for (const [packets, packet] of [
    ['messages', [0x30, 7, 0, 1, 0x78, 0, 0x31, 0x32, 0x33]],
    ['messages of QoS 2', [0x34, 9, 0, 1, 0x78, 0, 1, 0, 0x31, 0x32, 0x33, 0x62, 2, 0, 1]],
    ['messages of QoS 2 without their releases', [0x34, 9, 0, 1, 0x78, 0, 1, 0, 0x31, 0x32, 0x33]],
    ['releases of no message', [0x62, 2, 0, 1]],
    ['answers to no ping', [0xd0, 0]],
  ] as const)
    it(`lets other work have its turn while many ${packets} come at once`, async () => {
      const pieces = 8;
      const flood = Array.from({ length: (pieces * PIECE_BYTES) / packet.length }, () => packet).flat();
      const last = [0x30, 8, 0, 4, ...Buffer.from('last'), 0, 0x78];
      let now = 0;
      const { port } = await tcp((socket) => {
        socket.once('data', () => {
          socket.write(Buffer.from(CONNACK));
          socket.once('data', (subscribe) => {
            const [high = 0, low = 0] = subscribe.subarray(2);
            socket.write(Buffer.from([0x90, 4, high, low, 0, 1, ...flood, ...last]));
          });
        });
      });
      // Each operation takes a turn.
      const time = { ...systemTime, now: () => (now += TURN_MS) };
      const { opened, received } = open(`mqtt://127.0.0.1:${port}`, { time });
      await opened();
      let turns = 0;
      for (; received.at(-1)?.topic !== 'last'; turns += 1) await turn();
      expect(turns).to.be.at.least(pieces - 1);
    });

  for (const [title, answer, line] of [
    [
      'the broker sends a packet that is too large, before all of the packet has arrived',
      // The head of a PUBLISH of 1,048,577 bytes, and a piece of it.
      [...CONNACK, 0x30, 0xfd, 0xff, 0x3f, 0, 1, 0x78],
      'sends a packet of 1048577 bytes; this server takes 1048576',
    ],
    [
      'the broker does not answer its subscriptions',
      CONNACK,
      'does not answer the subscriptions of this server',
    ],
    ['the broker closes it', undefined, 'closes the connection without a reason'],
  ] as const)
    it(`ends when ${title}, and logs that`, async () => {
      const time = steppedTime();
      const { port } = await tcp((socket) =>
        socket.once('data', () => {
          if (answer === undefined) socket.end();
          else socket.write(Buffer.from(answer));
        }),
      );
      const { broker, logged } = open(`mqtt://127.0.0.1:${port}`, { time });
      if (answer === CONNACK) await time.pass(CONNECT_MS);
      await logged(line);
      expect(broker.connected).to.equal(false);
    });

  it('ends in order after all published messages, so that the will is not sent', async () => {
    const { aedes, broker, port } = await openHere(writingOn(steppedTime()));
    const consumer = await consumerOn(port);
    const disconnected = once(aedes, 'clientDisconnect');
    for (let count = 0; count < 2_000; count++) broker.publish('events', String(count));
    await broker.close();
    await disconnected;
    await consumer.on('events', (value) => value === 1_999);
    await consumer.say('end', 'x');
    await consumer.next(({ topic }) => topic === 'end' || topic === WILL.topic);
    expect(consumer.heard).to.deep.equal([]);
  });

  for (const [transport, protocol] of [
    ['TCP', 'mqtts'],
    ['WebSockets', 'wss'],
  ] as const)
    it(`over ${transport} has a client certificate, and logs a wrong authority once`, async function () {
      const { ca, broker: server, client } = makeCertificates(this);
      const port = await freePort();
      await mosquittoFor(this, [
        ...(protocol === 'wss' ? webSocketsOn(port) : [`listener ${port} ${LOOPBACK}`]),
        ...[`cafile ${ca}`, `certfile ${server.cert}`, `keyfile ${server.key}`, 'require_certificate true'],
        'use_identity_as_username true',
      ]);
      const url = `${protocol}://127.0.0.1:${port}`;
      const read = (path: string): Buffer => readFileSync(path);
      const right = open(url, { ca: read(ca), cert: read(client.cert), key: read(client.key) });
      await right.opened();
      const time = steppedTime();
      const wrong = open(url, { ca: read(client.cert), time });
      await wrong.logged('cannot be used');
      await time.pass(250);
      await time.armed(500);
      await time.pass(500);
      await time.armed(1_000);
      expect(wrong.logLines).to.have.length(1);
      expect(wrong.logLines[0]).to.match(/cannot be used: .*certificate/);
      const without = open(url, { ca: read(ca) });
      await without.logged('127.0.0.1');
      expect(without.broker.connected).to.equal(false);
    });

  it('over WebSockets carries large messages in order', async function () {
    const port = await freePort();
    await mosquittoFor(this, [...OPEN_TO_ALL, ...webSocketsOn(port)]);
    const { broker, opened, received, arrived } = open(`ws://127.0.0.1:${port}/mqtt`);
    await opened();
    const sizes = [1, 100_000, 2];
    for (const [index, size] of sizes.entries()) broker.publish(`commands/${index}`, 'x'.repeat(size));
    await arrived(sizes.length);
    expect(received.map(({ payload }) => payload.length)).to.deep.equal(sizes);
  });

  it('over WebSockets ends when the server refuses the path, and logs that', async () => {
    const { port } = await tcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')),
    );
    const { broker, logged } = open(`ws://127.0.0.1:${port}/nowhere`);
    await logged('cannot be used: no WebSocket at /nowhere: HTTP 404');
    expect(broker.connected).to.equal(false);
  });

  it('over WebSockets ends when a message is too large, and logs that', async () => {
    // The head of a binary WebSocket message of 16 MiB and a byte: RFC 6455, 5.2.
    const head = Buffer.from([0x82, 0x7f, 0, 0, 0, 0, 0x01, 0, 0, 0x01]);
    const { port } = await tcp((socket) => {
      socket.once('data', (request) => {
        const key = /^sec-websocket-key: (.*)\r$/im.exec(request.toString())?.[1] ?? '';
        const accept = createHash('sha1')
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest('base64');
        const lines = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade'];
        const acceptance = [`sec-websocket-accept: ${accept}`, 'sec-websocket-protocol: mqtt', '', ''];
        socket.write(Buffer.concat([Buffer.from([...lines, ...acceptance].join('\r\n')), head]));
      });
    });
    const { broker, logged } = open(`ws://127.0.0.1:${port}`);
    await logged('cannot be used: Max payload size exceeded');
    expect(broker.connected).to.equal(false);
  });

  it('has a user and a password, and logs wrong ones once', async function () {
    requireProgram(this, 'mosquitto');
    const file = join(newFolder(), 'passwords');
    const made = spawnSync('mosquitto_passwd', ['-b', '-c', file, 'fleet', 'secret']);
    expect(made.status, made.stderr.toString()).to.equal(0);
    const port = await mosquittoFor(this, [`password_file ${file}`]);
    const url = `mqtt://fleet@127.0.0.1:${port}`;
    await open(url, { password: 'secret' }).opened();
    const time = steppedTime();
    const wrong = open(url, { password: 'guess', time });
    await time.pass(250);
    await time.armed(500);
    expect(wrong.logLines).to.deep.equal([
      `the MQTT broker 127.0.0.1:${port} cannot be used: Connection refused: Not authorized`,
    ]);
  });

  it('repeats the correlation data of a request in the answer, with MQTT 5', async function () {
    const port = await mosquittoFor(this);
    const { broker, opened, received } = open(`mqtt://127.0.0.1:${port}`);
    await opened();
    const consumer = await consumerOn(port, 'mine', { protocolVersion: 5 });
    const correlationData = Buffer.from([0, 255]);
    await consumer.say('commands/x', '{}', { properties: { responseTopic: 'mine', correlationData } });
    broker.publish('events', 'x');
    while (received.length === 0) await consumer.say('mine', 'again').then(() => consumer.on('mine'));
    const [message] = received;
    expect(message?.reply).to.deep.equal({ topic: 'mine', correlation: correlationData });
    broker.publish('mine', '1', { correlation: message?.reply?.correlation });
    const { packet } = await consumer.next(({ value }) => value === 1);
    expect(packet.properties?.correlationData).to.deep.equal(correlationData);
  });
});
