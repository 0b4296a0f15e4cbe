import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { openRadio } from '../../src/ble/noble/index.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../src/protocols/godice/index.js';
import { closeAll, open, openFixture } from '../simulators/control-fixture.js';
import { LONG_LIMITS, nextAdvertisement } from '../support/bluetooth-fixture.js';
import { right } from '../support/either.js';

const SCOPES = ['@abandonware', '@stoprocent'];

/** Prints states, the name of the first die, and its notifications; asks for the battery. */
const central = (scope: string): string => `
  import noble from '${scope}/noble';
  noble.on('stateChange', (state) => {
    console.log(state);
    if (state === 'poweredOn') void noble.startScanningAsync(['${NUS_SERVICE}']);
  });
  noble.once('discover', async (die) => {
    await noble.stopScanningAsync();
    await die.connectAsync();
    const { characteristics } = await die.discoverAllServicesAndCharacteristicsAsync();
    const [name, write, notify] = ['2a00', '${NUS_WRITE}', '${NUS_NOTIFY}'].map((uuid) =>
      characteristics.find((characteristic) => characteristic.uuid === uuid),
    );
    console.log(String(await name.readAsync()));
    notify.on('data', (value) => console.log(value.toString('hex')));
    await notify.subscribeAsync();
    await write.writeAsync(Buffer.from([3]), true);
  });`;

/** Prints states, and when it is set up: a lamp with a colour. The last argument of a read request is the callback. */
const peripheral = (scope: string): string => `
  import bleno from '${scope}/bleno';
  const colour = new bleno.Characteristic({
    ...{ uuid: 'ff01', properties: ['read', 'notify'] },
    onReadRequest: (...given) => given.at(-1)(0, Buffer.from('red')),
  });
  bleno.on('stateChange', (state) => {
    console.log(state);
    if (state === 'poweredOn') bleno.startAdvertising('Lamp', ['ff00']);
  });
  bleno.on('advertisingStart', () =>
    bleno.setServices([new bleno.PrimaryService({ uuid: 'ff00', characteristics: [colour] })]),
  );
  bleno.on('servicesSet', () => console.log('set up'));`;

/** Runs a program until the end of the test; returns its next line that is `wanted`. */
const run = (program: string, port: number) => {
  const child = spawn(
    process.execPath,
    ['--import', 'airbench/hci', '--input-type=module', '--eval', program],
    {
      env: { ...process.env, AIRBENCH_HCI: `tcp:127.0.0.1:${port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  open.push(() => Promise.resolve(child.kill()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (wanted = /^/): Promise<string> => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    if (done === true) expect.fail(`the program ended before it printed ${String(wanted)}`);
    return wanted.test(value) ? value : next(wanted);
  };
  return { child, next };
};

describe('A program with its own noble or bleno', () => {
  afterEach(closeAll);

  for (const scope of SCOPES) {
    it(`finds, reads and commands a virtual die, hears its roll, and learns when the radio goes and comes (${scope}/noble)`, async () => {
      const { call, hciPort } = await openFixture([{ kind: 'dice', battery_level: 53 }]);
      const { next } = run(central(scope), hciPort);
      expect(await next()).to.equal('poweredOn');
      expect(await next()).to.match(/^GoDice_000001_/);
      expect(await next(/^426174/)).to.equal('42617435');
      await call('POST', '/devices/D1:CE:00:00:00:01/actions', { type: 'roll' });
      await next(/^52/);
      await next(/^53/);
      for (const powered of [false, true]) {
        await call('POST', '/adapters/hci0', { powered });
        await next(powered ? /^poweredOn$/ : /^poweredOff$/);
      }
    });

    it(`is a device that a server's central finds and reads (${scope}/bleno)`, async () => {
      const { hciPort } = await openFixture([]);
      const { next } = run(peripheral(scope), hciPort);
      expect(await next()).to.equal('poweredOn');
      await next(/^set up$/);
      const radio = right(
        await openRadio({
          hci: { kind: 'tcp', host: '127.0.0.1', port: hciPort },
          limits: LONG_LIMITS,
          warn: (message) => expect.fail(message),
        })(),
      );
      open.push(() => radio.close());
      const { address, serviceUuids } = await nextAdvertisement(radio, ({ name }) => name === 'Lamp');
      expect(serviceUuids).to.deep.equal(['ff00']);
      const link = right(await radio.connect(address, [{ service: 'ff00', characteristics: ['ff01'] }])());
      expect(String(right(await link.read('ff01')()))).to.equal('red');
    });
  }

  it('ends with a message if no controller answers at the address', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { readonly port: number };
    const ends = [1, port].map(async (at) => {
      const { child } = run(central('@stoprocent'), at);
      let text = '';
      child.stderr.on('data', (chunk: Buffer) => (text += String(chunk)));
      const [status] = (await once(child, 'close')) as [number];
      expect(status).to.equal(1);
      return text;
    });
    const [refused, unanswered] = await Promise.all(ends);
    silent.close();
    expect(refused).to.contain('AIRBENCH_HCI: nothing answers at tcp:127.0.0.1:1 (connection refused)');
    expect(unanswered).to.contain(`nothing answers at tcp:127.0.0.1:${port} (it does not answer Reset)`);
  });
});
