/** The links that a proxy has room for, each of one client. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../async/time.js';
import type { FoundService, NobleLink, NobleRadio } from '../ble/noble/index.js';
import type { Address, BleError } from '../ble/ports.js';
import { wait } from '../async/wait.js';

/** How long a device that is not known may take to advertise, ms. */
export const FIND_MS = 10_000;

/** `full`: there is no room; `taken`: another client has the device. */
export type NoSlot = 'full' | 'taken';

/** A link, and all that its device offers; undefined: the client knows it, and nothing was discovered. */
export interface Connected {
  readonly link: NobleLink;
  readonly services: readonly FoundService[] | undefined;
}

interface Slot<Client> {
  readonly client: Client;
  readonly stop: AbortController;
  link?: NobleLink;
}

export interface SlotsOptions {
  readonly radio: NobleRadio;
  readonly time: TimeSource;
  readonly limit: number;
  /** Called after each change of `allocated`. */
  readonly changed: () => void;
}

export class Slots<Client> {
  private readonly slots = new Map<Address, Slot<Client>>();
  private others = 0;

  constructor(private readonly options: SlotsOptions) {}

  get limit(): number {
    return this.options.limit;
  }

  /** Of the devices that have or are about to have a link. */
  get allocated(): readonly Address[] {
    return [...this.slots.keys()];
  }

  get free(): number {
    return Math.max(0, this.limit - this.slots.size - this.others);
  }

  /** Marks this many slots as used by other clients; links that are up stay. */
  reserve(slots: number): void {
    this.others = slots;
    this.options.changed();
  }

  /** The link of a client to a device. */
  link(address: Address, client: Client): NobleLink | undefined {
    const slot = this.slots.get(address);
    return slot?.client === client && slot.link?.ended === undefined ? slot.link : undefined;
  }

  /**
   * Makes a link, which keeps its slot until it ends. `isKnown`: nothing is discovered on it. `ended` is called when it
   * has, if it was made.
   */
  async connect(
    address: Address,
    client: Client,
    isKnown: boolean,
    ended: (cause: BleError) => void,
  ): Promise<E.Either<BleError | NoSlot, Connected>> {
    if (this.slots.has(address)) return E.left('taken');
    if (this.free === 0) return E.left('full');
    const slot: Slot<Client> = { client, stop: new AbortController() };
    this.slots.set(address, slot);
    this.options.changed();
    const free = (): void => {
      if (this.slots.get(address) !== slot) return;
      this.slots.delete(address);
      this.options.changed();
    };
    const connected = await this.reach(address, isKnown, slot.stop.signal)();
    if (E.isLeft(connected)) {
      free();
      return connected;
    }
    const { link } = connected.right;
    slot.link = link;
    link.onEnd((cause) => {
      // The controller may still be ending it: until then there is no room for another.
      void link.disconnect().then(() => {
        free();
        ended(cause);
      });
    });
    return connected;
  }

  /** Ends the link of a client, or the attempt at one. False: it has none. */
  disconnect(address: Address, client: Client): boolean {
    const slot = this.slots.get(address);
    if (slot?.client !== client) return false;
    slot.stop.abort();
    void slot.link?.disconnect();
    return true;
  }

  /** Ends all links of a client. */
  release(client: Client): void {
    for (const [address, slot] of this.slots) if (slot.client === client) this.disconnect(address, client);
  }

  /** Connects a device that has advertised, or does so soon. */
  private reach(address: Address, isKnown: boolean, signal: AbortSignal): TE.TaskEither<BleError, Connected> {
    const { radio, time } = this.options;
    const heard: TE.TaskEither<BleError, unknown> =
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
    return pipe(
      heard,
      TE.chain((): TE.TaskEither<BleError, Connected> =>
        isKnown
          ? pipe(
              radio.connectKnown(address, signal),
              TE.map((link) => ({ link, services: undefined })),
            )
          : pipe(
              radio.connectAny(address, signal),
              TE.map(({ link, found }) => ({ link, services: found })),
            ),
      ),
    );
  }
}
