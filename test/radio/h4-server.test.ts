import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { h4Reader } from '../../src/ble/hci/h4.js';
import { Air, H4Server } from '../../simulators/radio/index.js';
import { HciHost, bytes, isAcl, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { advertise, connectionTo, scan } from '../support/hci-scenes.js';
import { requireUnix } from '../support/require.js';

const FIRST = '02:A1:B0:00:00:01';
const SECOND = '02:A1:B0:00:00:02';

describe('The H4 server', () => {
  let air: Air;
  let server: H4Server;
  let port: number;
  let streams: Socket[];

  const open = async (at: { port: number } | { path: string }) => {
    const stream = connect({ host: '127.0.0.1', ...at });
    streams.push(stream);
    await once(stream, 'connect');
    const host = new HciHost((packet) => void stream.write(packet));
    stream.on(
      'data',
      h4Reader(
        (packet) => host.receive(Buffer.from(packet)),
        (reason) => stream.destroy(new Error(reason)),
      ),
    );
    return Object.assign(host, { stream, address: (await host.returned('readBdAddr', {}))?.address });
  };
  /** Closes a stream, and waits until the server has noticed. */
  const leave = async (stream: Socket): Promise<void> => {
    const before = server.list().length;
    stream.destroy();
    await once(stream, 'close');
    while (server.list().length === before) await otherTurns(1);
  };

  beforeEach(async () => {
    streams = [];
    air = new Air();
    server = new H4Server(air, { maxLinks: 3 });
    port = await server.listen({ host: '127.0.0.1', port: 0 });
  });

  afterEach(async () => {
    for (const stream of streams) stream.destroy();
    await server.close();
  });

  it('gives each connection its own controller, with the next address', async () => {
    const [first, second] = [await open({ port }), await open({ port })];
    expect([first.address, second.address]).to.deep.equal([FIRST, SECOND]);
    expect(server.list()).to.deep.equal([
      { id: 'hci0', address: FIRST, powered: true, links: 0, devices: [] },
      { id: 'hci1', address: SECOND, powered: true, links: 0, devices: [] },
    ]);
  });

  it('gives the address of a closed connection to the next connection', async () => {
    const first = await open({ port });
    await open({ port });
    await leave(first.stream);
    expect(server.list().map(({ id }) => id)).to.deep.equal(['hci1']);
    expect((await open({ port })).address).to.equal(FIRST);
  });

  it('takes an adapter from its host, whose stream ends', async () => {
    const [first] = [await open({ port }), await open({ port })];
    const ended = once(first.stream, 'close');
    expect(await server.unplug('hci0')).to.equal(true);
    expect(server.list().map(({ id }) => id)).to.deep.equal(['hci1']);
    await ended;
    expect(await server.unplug('hci0')).to.equal(false);
  });

  it('gives a controller to a stream of any kind, a packet with each write', async () => {
    const packets: string[] = [];
    const stream = new Duplex({
      read: () => undefined,
      write: (packet: Buffer, _encoding, done) => {
        packets.push(text(packet));
        done();
      },
    });
    expect(server.attach(stream)).to.equal(FIRST);
    stream.push(bytes('01 03 0C 00 01 09'));
    stream.push(bytes('10 00'));
    await otherTurns();
    expect(packets).to.deep.equal(['04 0e 04 01 03 0c 00', '04 0e 0a 01 09 10 00 01 00 00 b0 a1 02']);
    await server.close();
    expect(stream.destroyed).to.equal(true);
    expect(server.list()).to.deep.equal([]);
  });

  it('gives a controller a requested address', () => {
    const address = '02:A1:B1:00:00:04';
    const stream = new Duplex({ read: () => undefined, write: (_packet, _encoding, done) => done() });
    expect(server.attach(stream, { address })).to.equal(address);
    expect(server.list()).to.deep.include({ id: 'hci0', address, powered: true, links: 0, devices: [] });
  });

  it('serves a Unix socket as well, and takes the place of a stale one', async function () {
    requireUnix(this, 'files as sockets');
    const folder = mkdtempSync(join(tmpdir(), 'airbench-h4-'));
    const path = join(folder, 'hci.sock');
    const other = new H4Server(air);
    await other.listen({ path });
    await other.close();
    expect(await server.listen({ path })).to.equal(0);
    const [first, second] = [await open({ path }), await open({ port })];
    expect([first.address, second.address]).to.deep.equal([FIRST, SECOND]);
    await server.close();
    expect(existsSync(path)).to.equal(false);
    rmSync(folder, { recursive: true });
  });

  it('rejects if it cannot listen', async () => {
    const failure = await new H4Server(air).listen({ host: '127.0.0.1', port }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.an('error').with.property('code', 'EADDRINUSE');
  });

  it('lets hosts of different connections meet in the air', async () => {
    const [central, peripheral] = [await open({ port }), await open({ port })];
    await central.begin();
    await peripheral.begin();
    await advertise(peripheral);
    await scan(central, 1);
    await central.next(isLeEvent(0x02));
    await central.status('leCreateConnection', connectionTo(SECOND));
    const { handle } = await central.connected();
    const data = bytes('03 00 04 00 02 17 00');
    central.acl(handle, 0, data);
    expect(text(await peripheral.next(isAcl))).to.equal(`02 40 20 07 00 ${text(data)}`);
    expect(server.list().map(({ links }) => links)).to.deep.equal([1, 1]);
    peripheral.stream.destroy();
    expect((await central.disconnected()).reason).to.equal(0x08);
  });

  it('drops a host whose stream is out of step', async () => {
    const { stream } = await open({ port });
    stream.write(bytes('99'));
    await once(stream, 'close');
    expect(server.list()).to.deep.equal([]);
  });

  it('switches an adapter’s power off and on', async () => {
    const host = await open({ port });
    await host.begin();
    expect(server.power('hci0', false)).to.equal(true);
    expect(text(await host.next((packet) => packet[1] === 0x10))).to.equal('04 10 01 01');
    expect(server.list()[0]?.powered).to.equal(false);
    server.power('hci0', true);
    expect(await host.status('reset', {})).to.equal(0);
    expect([server.power('hci7', false), server.power('hci', false), server.power('x', true)]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it('closes every connection when it is closed', async () => {
    const { stream } = await open({ port });
    await Promise.all([once(stream, 'close'), server.close()]);
    expect(stream.destroyed).to.equal(true);
  });
});
