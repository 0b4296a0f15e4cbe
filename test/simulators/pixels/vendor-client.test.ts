/** The vendor's client accepts a virtual die as real; noble on the virtual radio replaces its transport. */
import animation from '@systemic-games/pixels-core-animation';
import { Pixel, PixelSession, type PixelEventMap } from '@systemic-games/pixels-core-connect';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import type { Link, Radio } from '../../../src/ble/ports.js';
import {
  facesOf,
  KNOWN_DIE_TYPES,
  profileIds,
  type KnownDieType,
  type Profile,
} from '../../../src/protocols/pixels/index.js';
import { anyIndexOf } from '../../../simulators/devices/pixels/faces.js';
import { releaseOf, type Firmware } from '../../../simulators/devices/pixels/firmware.js';
import { seededRng } from '../../../simulators/radio/index.js';
import { right } from '../../support/either.js';
import {
  closeAll,
  itRefuses,
  connect,
  nextAdvertisement,
  open,
  openFixture,
  radioIn,
  type Reached,
} from '../control-fixture.js';

const ADDRESS = 'F1:CE:00:00:00:01';

/** The client's transport. */
class NobleSession extends PixelSession {
  private link: Link | undefined;

  constructor(
    private readonly radio: Radio,
    private readonly die: Reached,
  ) {
    super(die.address);
  }

  dispose(): void {
    void this.disconnect();
  }

  async connect(): Promise<void> {
    this._notifyConnectionEvent('connecting');
    this.link = right(await connect(this.radio, this.die)());
    this.link.onEnd(() => this._notifyConnectionEvent('disconnected'));
    this._notifyConnectionEvent('connected');
    this._notifyConnectionEvent('ready');
  }

  async disconnect(): Promise<void> {
    await this.link?.disconnect();
  }

  async subscribe(listener: (dataView: DataView) => void): Promise<() => void> {
    let active = true;
    const notified = (value: Buffer): void => {
      if (active) listener(new DataView(value.buffer, value.byteOffset, value.length));
    };
    right(await this.connected.subscribe(this.die.notify, notified)());
    return () => (active = false);
  }

  async writeValue(data: ArrayBuffer | Uint8Array, withoutResponse = false): Promise<void> {
    const value = data instanceof Uint8Array ? Buffer.from(data) : Buffer.from(new Uint8Array(data));
    right(await this.connected.write(this.die.write, value, withoutResponse)());
  }

  private get connected(): Link {
    if (this.link === undefined) throw new Error('not connected');
    return this.link;
  }
}

afterEach(closeAll);

/** A virtual die, and the vendor's client connected to it. */
const connected = async ({
  firmware,
  ...start
}: {
  readonly firmware: Firmware;
  readonly [field: string]: unknown;
}) => {
  const world = await openFixture([{ kind: 'pixels', firmware, ...start }]);
  const radio = await radioIn(world);
  await nextAdvertisement(radio, ADDRESS);
  const { profile } = releaseOf(firmware);
  const pixel = new Pixel(new NobleSession(radio, { address: ADDRESS, ...profileIds[profile] }));
  open.push(() => pixel.disconnect());
  await pixel.connect();
  const { device, kind } = right(world.world.find(ADDRESS));
  return {
    pixel,
    radio,
    act: (action: object) => right(device.act(action)),
    model: () => world.world.describe({ address: ADDRESS, kind, device }),
    next: <K extends keyof PixelEventMap>(type: K): Promise<PixelEventMap[K]> =>
      new Promise((resolve) => {
        const listener = (event: PixelEventMap[K]): void => {
          pixel.removeEventListener(type, listener);
          resolve(event);
        };
        pixel.addEventListener(type, listener);
      }),
  };
};

const newest: Readonly<Record<Profile, Firmware>> = { legacy: '2024-11-07', current: '2025-01-03' };

const vendorTypes: Readonly<Record<KnownDieType, string>> = {
  ...{ d4: 'd4', d6: 'd6', d8: 'd8', d10: 'd10', d10x: 'd00', d12: 'd12', d20: 'd20' },
  ...{ d6_pipped: 'd6pipped', fudge: 'd6fudge' },
};

const ROLLS = 50;

describe("The vendor's client of Pixels dice", () => {
  for (const [profile, firmware] of Object.entries(newest)) {
    it(`identifies a die of the ${profile} profile`, async () => {
      const { pixel } = await connected({
        ...{ firmware, die: 'd12', face: 7, color: 'aurora_sky', name: 'Bob', pixel_id: '12345678' },
        ...{ battery_level: 57, charging: true },
      });
      expect(pixel.pixelId).to.equal(0x12345678);
      expect(pixel.dieType).to.equal('d12');
      expect(pixel.ledCount).to.equal(12);
      expect(pixel.colorway).to.equal('auroraSky');
      expect(pixel.firmwareDate).to.deep.equal(releaseOf(firmware).builtAt);
      expect([pixel.batteryLevel, pixel.isCharging]).to.deep.equal([57, true]);
      expect([pixel.rollState, pixel.currentFace]).to.deep.equal(['onFace', 7]);
      if (profile === 'current') expect(pixel.name).to.equal('Bob');
    });

    for (const die of KNOWN_DIE_TYPES) {
      it(`reads ${ROLLS} rolls of a ${die} of the ${profile} profile`, async () => {
        const { pixel, act, model, next } = await connected({ firmware, die });
        expect(pixel.dieType).to.equal(vendorTypes[die]);
        const rng = seededRng(5);
        for (let roll = 0; roll < ROLLS; roll += 1) {
          const face = facesOf(die)[anyIndexOf({ type: die, firmware }, rng)];
          const rolled = next('roll');
          act({ type: 'roll', face, roll_ms: 0 });
          const read = await rolled;
          // The client takes the faces of a fudge die for 1 to 6.
          expect(die === 'fudge' ? facesOf(die)[read - 1] : read).to.equal(face);
          expect(pixel.currentFaceIndex).to.equal(model()['face_index']);
        }
      });
    }

    it(`receives the battery level of a die of the ${profile} profile`, async () => {
      const { act, model, next } = await connected({ firmware });
      const level = next('battery');
      act({ type: 'battery', level: 33 });
      expect(await level).to.deep.equal({ level: 33, isCharging: false });
      const charging = next('battery');
      act({ type: 'charge', on: true });
      expect(await charging).to.deep.equal({ level: 33, isCharging: true });
      expect(model()).to.include({ battery_level: 33, charging: true, roll_state: 'on_face' });
    });

    it(`lights a die of the ${profile} profile until it stops all animations`, async () => {
      const { pixel, model } = await connected({ firmware, die: 'd6' });
      await pixel.blink(new animation.Color(0, 0, 1), {
        count: 2,
        duration: 60_000,
        faceMask: 0b101,
        loopCount: 3,
      });
      expect(model()).to.deep.include({
        leds: ['0000FF', '000000', '0000FF', '000000', '000000', '000000'],
        blink: {
          ...{ count: 2, duration_ms: 60_000, color: '0000FF', face_mask: '00000005', fade: 0 },
          loop_count: 3,
        },
      });
      await pixel.stopAllAnimations();
      await pixel.queryRssi();
      expect(model()).to.deep.include({ blink: null, leds: Array(6).fill('000000') });
    });

    it(`asks a die of the ${profile} profile for its signal, renames it and switches it off`, async () => {
      const { act, pixel, model, next, radio } = await connected({ firmware });
      expect(await pixel.queryRssi()).to.equal(-60);
      await pixel.rename('Röll');
      const ended = next('statusChanged');
      await pixel.turnOff();
      expect((await ended).status).to.equal('disconnected');
      expect(model()).to.include({ name: 'Röll', connected: false, advertising: false, asleep: true });
      act({ type: 'wake' });
      expect((await nextAdvertisement(radio, ADDRESS)).name).to.equal('Röll');
    });
  }

  for (const die of ['d4', 'd6'] as const) {
    it(`corrects the faces of a ${die} with the oldest firmware as this project does`, async () => {
      const { act, next } = await connected({ firmware: '2023-11-17', die });
      for (const face of facesOf(die)) {
        const rolled = next('roll');
        act({ type: 'roll', face, roll_ms: 0 });
        expect(await rolled).to.equal(face);
      }
    });
  }
});

describe('A virtual Pixels die', () => {
  it('advertises every 187.5 ms', async () => {
    const { call } = await openFixture([{ kind: 'pixels' }]);
    const { packets } = (await call('GET', '/trace/packets')).json as { packets: { hex: string }[] };
    const parameters = packets.find(({ hex }) => hex.startsWith('0106200F'));
    expect(parameters?.hex.slice(8, 16)).to.equal('2C012C01');
  });

  itRefuses(
    `
    POST /devices/${ADDRESS}/actions | {"type":"roll","face":7}          | 400 invalid_input face of a d6 must be one of 1, 2, 3, 4, 5, 6, got 7
    POST /devices/${ADDRESS}/actions | {"type":"roll","ending":"tilt"}   | 400 invalid_input ending must be stable, move or none, got tilt: a d6 with firmware 2024-11-07 does not report that it lies crooked
    POST /devices | {"kind":"pixels","face":3}                           | 400 invalid_input face must be given with die, the type that has it
    POST /devices | {"kind":"pixels","die":"fudge","face":2}             | 400 invalid_input face of a fudge must be one of -1, 0, 1, got 2
    `,
    () => openFixture([{ kind: 'pixels', die: 'd6' }]),
  );

  it('has a different type and colour at each address, unless they are set', async () => {
    const { world } = await openFixture(Array<object>(3).fill({ kind: 'pixels' }));
    const models = world.list().map(({ device }) => device.model());
    expect(models.map(({ die }) => die)).to.deep.equal(['d20', 'd12', 'd10']);
    expect(models.map(({ color }) => color)).to.deep.equal([
      'onyx_black',
      'hematite_grey',
      'midnight_galaxy',
    ]);
  });
});
