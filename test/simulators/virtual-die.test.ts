import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import { NUS_SERVICE } from '../../src/protocols/godice/index.js';
import {
  DIE,
  openFixture,
  closeAll,
  connect,
  nextAdvertisement,
  linkTo,
  radioIn,
} from './control-fixture.js';

afterEach(closeAll);

/** A host linked to the one die of a world, and a hand at the die. */
const linked = async (start: object = {}) => {
  const rig = await openFixture([{ kind: 'dice', ...start }]);
  const radio = await radioIn(rig);
  const host = await linkTo(radio);
  const act = (action: object) => rig.call('POST', `/devices/${DIE}/actions`, action);
  const model = async () => (await rig.call('GET', `/devices/${DIE}`)).json;
  return { ...rig, ...host, radio, act, model };
};

describe('virtual die on the air', () => {
  it('advertises its name and service, with a signal strength', async () => {
    const radio = await radioIn(await openFixture([{ kind: 'dice', rssi: -77 }]));
    const { name, rssi, serviceUuids, connectable } = await nextAdvertisement(radio);
    expect({ name, rssi, serviceUuids, connectable }).to.deep.equal({
      name: 'GoDice_000001_R_v04',
      rssi: -77,
      serviceUuids: [NUS_SERVICE],
      connectable: true,
    });
  });

  it('accepts both kinds of write and responds to each request', async () => {
    const { write, next } = await linked({ battery_level: 57, color: 'orange' });
    await write('03');
    await write('17', true);
    expect(await next(2)).to.deep.equal(['42617439', '436f6c05']);
  });

  it('does not advertise, and affects no other, when its own adapter truncates events', async () => {
    const { call } = await openFixture([{ kind: 'dice' }]);
    const cut = { device: DIE, type: 'truncated_event', bytes: 0 };
    expect((await call('POST', '/faults', cut)).status).to.equal(200);
    await call('POST', `/devices/${DIE}/actions`, { type: 'sleep' });
    await call('POST', `/devices/${DIE}/actions`, { type: 'wake' });
    const [fault] = (await call('GET', '/faults')).json as { hits: number }[];
    expect(fault?.hits).to.be.greaterThan(0);
    expect((await call('GET', `/devices/${DIE}`)).status).to.equal(200);
  });

  it('advertises but cannot be connected if that is its behaviour', async () => {
    const radio = await radioIn(await openFixture([{ kind: 'dice', behaviour: { refuse_links: true } }]));
    await nextAdvertisement(radio);
    expect(E.isLeft(await connect(radio)())).to.be.true;
  });

  it("is lost when the host's adapter loses its power, and found when that is back", async () => {
    const { call, ended, radio } = await linked();
    expect((await call('GET', '/adapters')).json)
      .to.have.nested.property('[0]')
      .that.deep.includes({ id: 'hci0', powered: true, links: 1 });
    expect((await call('POST', '/adapters/hci0', { powered: false })).json).to.deep.equal({
      id: 'hci0',
      powered: false,
    });
    await ended();
    await call('POST', '/reset', {});
    expect((await nextAdvertisement(radio)).address).to.equal(DIE);
  });

  it('vanishes from under a link', async () => {
    const { call, ended } = await linked();
    await call('DELETE', `/devices/${DIE}`);
    expect((await ended())._tag).to.equal('LinkLost');
  });
});
