import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { right } from '../../support/either.js';
import { closeAll, nextAdvertisement, openFixture, radioIn } from '../control-fixture.js';

afterEach(closeAll);

const STRAP = 'F1:1E:00:00:00:01';

const strap = {
  kind: 'gatt',
  name: 'Strap',
  advertising: { services: ['180d'] },
  services: [
    {
      uuid: '180D',
      characteristics: [
        {
          uuid: '2a37',
          properties: ['notify'],
          value: [{ u8: 0 }, { u8: { ramp: { from: 70, to: 72 } } }],
          notify: { every_ms: 20 },
        },
        { uuid: '00002a38-0000-1000-8000-00805f9b34fb', properties: ['read'], value: { u8: 1 } },
      ],
    },
  ],
};

describe('A device of kind gatt', () => {
  it('is found, read and subscribed to by noble, as POST /devices describes it', async () => {
    const rig = await openFixture([]);
    const added = await rig.call('POST', '/devices', strap);
    expect(added.json).to.include({ address: STRAP, kind: 'gatt', name: 'Strap', advertising: true });
    const radio = await radioIn(rig);
    expect((await nextAdvertisement(radio, STRAP)).serviceUuids).to.deep.equal(['180d']);
    const link = right(
      await radio.connect(STRAP, [{ service: '180d', characteristics: ['2a37', '2a38'] }])(),
    );
    expect(right(await link.read('2a38')()).toString('hex')).to.equal('01');
    const beats: string[] = [];
    await new Promise<void>((resolve, reject) => {
      void link
        .subscribe('2a37', (value) => {
          beats.push(value.toString('hex'));
          if (beats.length === 4) resolve();
        })()
        .then((subscribed) => {
          if (subscribed._tag === 'Left') reject(new Error(JSON.stringify(subscribed.left)));
        });
    });
    expect(beats.slice(0, 4)).to.deep.equal(['0046', '0047', '0048', '0046']);
    const { json } = await rig.call('GET', `/devices/${STRAP}`);
    expect(json).to.deep.include({ connected: true, subscribed: ['2a37'], security: 'open' });
  });
});
