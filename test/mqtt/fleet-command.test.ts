import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { fleetTable } from '../../src/cli/fleet.js';
import { DIE, openFleetStage, type FleetStage } from '../support/fleet-stage.js';
import { Consumer, freePort, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { Program } from '../support/program.js';

describe('airbench fleet', function () {
  this.timeout(20_000);
  let broker: EmbeddedBroker | undefined;
  let stage: FleetStage | undefined;

  afterEach(async () => {
    await stage?.close();
    await broker?.close();
    stage = broker = undefined;
  });

  it('shows servers, devices and owners once, for programs', async () => {
    broker = await startAedes();
    const consumer = await Consumer.of(broker.port, 'airbench/dice/#');
    stage = await openFleetStage(broker.port, ['one']);
    await consumer.on('airbench/dice/servers/one');
    const [one] = stage.servers;
    expect((await one?.connect())?.status).to.equal(200);
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
    await consumer.close();
    const broke = `mqtt://127.0.0.1:${broker.port}`;
    const { status, stdout } = await Program.start([
      ...['fleet', '--mqtt', broke, '--json', '--listen-secs', '0.5'],
    ]).ended;
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      servers: [{ kind: 'dice', name: 'one', status: 'online' }],
      devices: [{ kind: 'dice', address: DIE, availability: 'online', owner: 'one', heard: [] }],
    });
  });

  it('says in a sentence that a broker cannot be reached', async () => {
    const { status, stderr } = await Program.start([
      'fleet',
      '--mqtt',
      `mqtt://127.0.0.1:${await freePort()}`,
    ]).ended;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the MQTT broker 127\.0\.0\.1:\d+ cannot be used: .+ECONNREFUSED.+\n$/);
  });

  it('leaves out of names what would move the cursor', () => {
    expect(
      fleetTable({
        servers: [{ kind: 'dice', name: 'one\u001b[2J', status: 'online' }],
        devices: [
          {
            ...{ kind: 'dice', address: DIE, owner: null, availability: 'offline' },
            heard: [
              { server: 'one', rssi: -48 },
              { server: 'two', rssi: -60 },
            ],
          },
        ],
      }).split('\n'),
    ).to.deep.equal([
      'SERVER  KIND  STATUS',
      'one[2J  dice  online',
      '',
      'DEVICE             KIND  OWNER  AVAILABILITY  HEARD BY, dBm',
      'D1:CE:00:00:00:01  dice  -      offline       one -48, two -60',
      '',
    ]);
  });
});
