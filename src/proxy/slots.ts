/** The slots of a proxy: the links that it has room for. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { FoundService, NobleLink, NobleRadio } from '../ble/noble/index.js';
import type { Address, BleError } from '../ble/ports.js';
import { wait } from '../async/wait.js';
import { MAX_SLOTS } from '../contract/proxies.js';
import { addressText } from '../protocols/esphome/index.js';

/** How long an unknown device may take to advertise, ms. */
export const FIND_MS = 10_000;

/** Static random addresses for reserved slots. */
const RESERVED = Array.from({ length: MAX_SLOTS }, (_, index) =>
  addressText(0xf0_00_00_00_00_00n + BigInt(index)),
);

/** A link, and the services of its device; undefined: the client has cached them, and nothing was discovered. */
export interface Connected {
  readonly link: NobleLink;
  readonly services: readonly FoundService[] | undefined;
}

interface Slot<Owner> {
  owner: Owner;
  readonly stop: AbortController;
  /** Resolves when the slot is free. */
  readonly over: Promise<void>;
  link?: NobleLink;
}

export interface SlotsOptions {
  readonly radio: NobleRadio;
  readonly time: TimeSource;
  readonly limit: number;
  /** Called when a link has ended or an attempt has failed, before its slot is free. */
  readonly ended: (address: Address, cause: BleError) => void;
  /** Called after each change of `allocated`. */
  readonly changed: () => void;
}

/** `Owner`: the one that asked for a link. */
export class Slots<Owner> {
  private readonly slots = new Map<Address, Slot<Owner>>();
  private reserved = 0;

  constructor(private readonly options: SlotsOptions) {}

  /** The devices that have a link, or are about to. */
  get devices(): readonly Address[] {
    return [...this.slots.keys()];
  }

  /** The addresses in all used slots, including reserved slots. */
  get allocated(): readonly Address[] {
    const reserved = Math.min(this.reserved, this.options.limit - this.slots.size);
    return [...this.devices, ...RESERVED.slice(0, reserved)];
  }

  get free(): number {
    return this.options.limit - this.allocated.length;
  }

  /** Marks this many slots as used, as if by other clients' devices; links that are up stay. */
  reserve(slots: number): void {
    this.reserved = slots;
    this.options.changed();
  }

  has(address: Address): boolean {
    return this.slots.has(address);
  }

  /** The owner of a slot; undefined: the device has none. */
  owner(address: Address): Owner | undefined {
    return this.slots.get(address)?.owner;
  }

  /** Gives a slot to another owner. */
  give(address: Address, owner: Owner): void {
    const slot = this.slots.get(address);
    if (slot !== undefined) slot.owner = owner;
  }

  /** The link to a device, while it is up. */
  link(address: Address): NobleLink | undefined {
    const link = this.slots.get(address)?.link;
    return link?.ended === undefined ? link : undefined;
  }

  /**
   * Makes a link, which has a slot until its end. `isCached`: nothing is discovered on it. Undefined: the attempt
   * has failed.
   */
  async connect(address: Address, isCached: boolean, owner: Owner): Promise<Connected | undefined> {
    let free = (): void => undefined;
    const over = new Promise<void>((resolve) => (free = resolve));
    const slot: Slot<Owner> = { owner, stop: new AbortController(), over };
    this.slots.set(address, slot);
    this.options.changed();
    const end = (cause: BleError): void => {
      // ESPHome reports the end, frees the slot and reports the slots, in this order (`bluetooth_connection.cpp`).
      this.options.ended(address, cause);
      this.slots.delete(address);
      this.options.changed();
      free();
    };
    const connected = await this.reach(address, isCached, slot.stop.signal)();
    if (E.isLeft(connected)) {
      end(connected.left);
      return undefined;
    }
    const { link } = connected.right;
    slot.link = link;
    // The slot stays in use until the controller has ended the link.
    link.onEnd((cause) => detached(link.disconnect().then(() => end(cause))));
    if (slot.stop.signal.aborted) detached(link.disconnect());
    return link.ended === undefined ? connected.right : undefined;
  }

  /** Ends a link, or the attempt to make it. */
  disconnect(address: Address): void {
    const slot = this.slots.get(address);
    slot?.stop.abort();
    detached(slot?.link?.disconnect());
  }

  /** Ends the links to all devices, or to some; resolves when their slots are free. */
  async release(isChosen: (address: Address) => boolean = () => true): Promise<void> {
    const chosen = [...this.slots].filter(([address]) => isChosen(address));
    for (const [address] of chosen) this.disconnect(address);
    await Promise.all(chosen.map(([, { over }]) => over));
  }

  /** Connects a device that has advertised, or advertises within `FIND_MS`. */
  private reach(
    address: Address,
    isCached: boolean,
    signal: AbortSignal,
  ): TE.TaskEither<BleError, Connected> {
    const { radio, time } = this.options;
    const advertised: TE.TaskEither<BleError, unknown> =
      radio.lastAdvertisement(address) !== undefined
        ? TE.right(undefined)
        : pipe(
            wait<undefined>({ time, ms: FIND_MS, signal }, (settle) =>
              radio.listen((advertisement) => {
                if (advertisement.address === address) settle(undefined);
              }),
            ),
            TE.mapLeft((end): BleError => ({ _tag: end === 'aborted' ? 'Closed' : 'NotFound', address })),
          );
    const discover = (link: NobleLink): TE.TaskEither<BleError, Connected['services']> =>
      isCached ? TE.Functor.map(link.agreement, () => undefined) : link.attributes;
    return pipe(
      advertised,
      TE.chain(() => radio.establish<Connected['services']>(address, discover, signal)),
      TE.map(({ link, found }) => ({ link, services: found })),
    );
  }
}
