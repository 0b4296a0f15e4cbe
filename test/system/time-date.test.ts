/** The answers of a system to questions about its clock, over dbus-daemon. */
import { Message, Variant } from '@jellybrick/dbus-next';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemBusOf } from '../../src/system/system-bus.js';
import { isSynchronised, TIME_DATE } from '../../src/system/time-date.js';
import { manualTime } from '../support/manual-time.js';
import { startBus, startService } from '../support/private-bus.js';
import { useVariables } from '../support/variables.js';

describe('The system clock, as systemd reports it,', () => {
  const setVariable = useVariables();
  const asked = isSynchronised(systemBusOf(TIME_DATE, manualTime()));

  for (const [title, answer, expected] of [
    ['that it is synchronised', new Variant('b', true), true],
    ['that it is not synchronised', new Variant('b', false), false],
    ['something else', new Variant('s', 'yes'), null],
    ['nothing of that', undefined, null],
  ] as const)
    it(`is ${title}`, async function () {
      const daemon = await startBus(this);
      setVariable('DBUS_SYSTEM_BUS_ADDRESS', daemon.address);
      const service = await startService(TIME_DATE, (call) =>
        call.member === 'Get' && call.body[1] === 'NTPSynchronized' && answer !== undefined
          ? Message.newMethodReturn(call, 'v', [answer])
          : Message.newError(call, 'org.freedesktop.DBus.Error.UnknownProperty', 'no such property'),
      );
      const says = await asked();
      service.close();
      await daemon.close();
      expect(says).to.equal(expected);
    });

  it('is nothing without a bus', async () => {
    setVariable('DBUS_SYSTEM_BUS_ADDRESS', 'unix:path=/nonexistent/bus');
    expect(await asked()).to.equal(null);
  });
});
