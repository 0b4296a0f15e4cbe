import { expect } from 'chai';
import { codeOf, type DiceFixture, eachFixture, GREEN, LIMITS, RED } from '../support/dice-fixture.js';
import { abandon, request } from '../support/client.js';

describe('POST /api/scan', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  const scan = (query = ''): ReturnType<DiceFixture['get']> =>
    request(fixture.server.port, `/api/scan${query}`, { method: 'POST' });

  it('lists dice of equal signal strength by their address', async () => {
    const { radio, time } = fixture;
    const addresses = [GREEN, RED, 'D1:CE:00:00:00:03'];
    const answer = scan();
    await radio.heeded;
    for (const address of addresses) radio.advertise(radio.add(address, { rssi: -60 }));
    await time.pass(LIMITS.scan);
    const { body } = await answer;
    expect((body as readonly { readonly address: string }[]).map(({ address }) => address)).to.deep.equal(
      [...addresses].sort(),
    );
  });

  it('lists only dice: by name, or by service while no name was received', async () => {
    const { radio, time } = fixture;
    const clockDevice = radio.add(RED, { name: 'Qingping Alarm Clock', serviceUuids: ['fdcd'] });
    const nameless = radio.add(GREEN, { name: null });
    const otherDevice = radio.add('D1:CE:00:00:00:03', { name: null, serviceUuids: [] });
    const named = radio.add('D1:CE:00:00:00:04', { name: 'GoDice_Proto_Test', serviceUuids: [] });
    const answer = scan();
    await radio.heeded;
    for (const device of [clockDevice, nameless, otherDevice, named]) radio.advertise(device);
    await time.pass(LIMITS.scan);
    expect((await answer).body).to.have.deep.members([
      { address: GREEN, name: '', rssi: -60 },
      { address: 'D1:CE:00:00:00:04', name: 'GoDice_Proto_Test', rssi: -60 },
    ]);
  });

  it('keeps a received name', async () => {
    const { radio, time } = fixture;
    const red = radio.add(RED, { name: 'GoDice_000001_R_v04' });
    const answer = scan();
    await radio.heard(red);
    radio.advertise(red, { name: null });
    await time.pass(LIMITS.scan);
    expect((await answer).body).to.deep.equal([{ address: RED, name: 'GoDice_000001_R_v04', rssi: -60 }]);
  });

  it('decodes each packet once for concurrent scans', async () => {
    const { radio, time } = fixture;
    const red = radio.add(RED);
    const scans = Array.from({ length: 20 }, () => scan());
    await radio.until(() => radio.stateListeners.size === scans.length);
    expect(radio.listeners.size).to.equal(1);
    radio.advertise(red);
    time.advance(LIMITS.scan);
    for (const { body } of await Promise.all(scans)) expect(body).to.have.length(1);
  });

  it('ends when its client has gone', async () => {
    const { radio, server } = fixture;
    const leave = abandon(server.port, '/api/scan', { method: 'POST' });
    await radio.heeded;
    await leave();
    await radio.until(() => radio.listeners.size === 0);
  });

  it('ends when the server does', async () => {
    const answer = scan('?duration_secs=600');
    await fixture.radio.heeded;
    await fixture.server.close();
    expect(codeOf(await answer)).to.equal('shutting_down');
  });

  it('fails while the adapter is off, and when it goes off', async () => {
    const { radio } = fixture;
    const answer = scan();
    await radio.heeded;
    radio.power('poweredOff');
    expect(codeOf(await answer)).to.equal('adapter_off');
    expect(await scan()).to.deep.include({
      status: 500,
      body: { error: 'the Bluetooth adapter is poweredOff, it must be poweredOn', code: 'adapter_off' },
    });
  });
});
