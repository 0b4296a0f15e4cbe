/** Writes whose link ends in the same turn, before the virtual device has worked on them. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { countedKinds, type CountedKind } from '../../simulators/control/kinds.js';
import type { Context } from '../../simulators/device.js';
import type { MadeDevice } from '../../simulators/device-kind.js';
import type { PeripheralOptions } from '../../simulators/peripheral/index.js';
import { AUTH_WRITE, encodeCommand, paddedUuid } from '../../src/clock/cgd1/protocol/index.js';
import {
  encodeCommand as encodeDieCommand,
  NUS_WRITE,
} from '../../src/dice/drivers/godice/protocol/index.js';
import { right } from '../support/either.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const nothing = (): void => undefined;

interface Rig {
  readonly device: MadeDevice;
  readonly write: (uuid: string, value: Buffer) => void;
  readonly endLink: () => void;
}

const make = async (kind: CountedKind): Promise<Rig> => {
  const time = manualTime();
  let options: Pick<PeripheralOptions, 'services' | 'onDisconnect'> = { services: [] };
  const context = {
    ...{ address: '58:2D:34:00:00:01', time, hostTime: time, rng: () => 0, rssi: () => null },
    ...{ listened: () => false, changed: nothing, happened: nothing },
    createPeripheral: (given: PeripheralOptions) => {
      options = given;
      return {
        ...{ ready: Promise.resolve(), name: '', connected: true, advertising: false, mtu: 256 },
        ...{ rename: nothing, limitMtu: nothing, advertise: nothing, stopAdvertising: nothing },
        ...{ disconnect: nothing, close: nothing },
      };
    },
  } as unknown as Context;
  const device = await right(countedKinds[kind].prepare({})).make(context);
  return {
    device,
    write: (uuid, value) =>
      void options.services
        .flatMap(({ characteristics }) => characteristics)
        .find((characteristic) => characteristic.uuid === uuid)
        ?.onWrite?.(value),
    endLink: () => options.onDisconnect?.(),
  };
};

describe('A write and the end of its link in one turn', () => {
  it('leave a clock bound, and not authenticated', async () => {
    const { device, write, endLink } = await make('clock');
    const token = Buffer.alloc(16, 7);
    for (const _tag of ['AuthInit', 'AuthConfirm'] as const)
      write(paddedUuid(AUTH_WRITE), encodeCommand({ _tag, token }));
    endLink();
    await otherTurns(1);
    expect(device.model()).to.include({ authenticated: false, token: token.toString('hex') });
    device.close();
  });

  it('leave a die without taps', async () => {
    const { device, write, endLink } = await make('dice');
    write(NUS_WRITE, encodeDieCommand({ _tag: 'SingleTap', on: true }));
    endLink();
    await otherTurns(1);
    expect(device.model()).to.deep.include({ taps: { single: false, double: false } });
    device.close();
  });
});
