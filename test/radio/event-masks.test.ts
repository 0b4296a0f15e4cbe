import { describe, it } from 'mocha';
import { linked } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

const NOTHING = `mask=x${'00'.repeat(8)}`;

describe('The event masks', () => {
  scenes({
    // Connection Complete is bit 0, Advertising Report bit 1 (Core 5.4 Vol 4 Part E 7.8.1).
    'keep unwanted LE events from the host': `
      peripheral advertise; central leSetEventMask mask=x01; central scan; central hears nothing
      central leCreateConnection; central hears connectionComplete status=0`,
    'hide all LE events from a host that masks LE Meta': `
      central setEventMask mask=xFFFFFFFFFFFFFFDF; peripheral advertise; central scan; central hears nothing`,
  });

  it('hide Disconnection Complete and Hardware Error from a host that masks them', async () => {
    const scene = await linked();
    await play(scene, `central setEventMask ${NOTHING}; central disconnect`);
    scene.central.controller.power(false);
    await play(scene, 'central hears nothing');
  });

  scenes(
    {
      'never hide Command Complete, Command Status and Number Of Completed Packets': `
        central setEventMask ${NOTHING}; central leSetEventMask ${NOTHING}
        central readBdAddr; central disconnect handle=0x0eff -> 0x02
        central sends 01 00 04 00 0B; central hears numberOfCompletedPackets handle=0x40 count=1`,
    },
    linked,
  );
});
