/** Several radios as one, such as an adapter and proxies: advertisements of all, and links through the one that hears a device best. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type {
  AdapterState,
  Address,
  Advertisement,
  BleError,
  GattProfile,
  Link,
  Radio,
  RadioPart,
  Unsubscribe,
} from './ports.js';

/** A part counts as hearing a device if its advertisement is at most this much older than the newest one, ms. */
const RECENT_MS = 10_000;

/** Below whatever a radio reports, dBm. */
const UNKNOWN_RSSI = -128;

/** One of several radios. */
export interface Part {
  readonly name: string;
  readonly radio: Radio;
  /** Why it cannot be used; undefined while it can, or as far as its state says. */
  readonly problem?: () => string | undefined;
  /** Its links; undefined: not known. */
  readonly slots?: () => { readonly free: number; readonly limit: number } | undefined;
}

/** A part, and what it heard of a device last. */
interface Hearing {
  readonly part: Part;
  readonly heard: Advertisement;
}

const signalOf = ({ heard: { rssi } }: Hearing): number => rssi ?? UNKNOWN_RSSI;

const describe = (hearing: Hearing): string =>
  `${hearing.part.name} ${hearing.heard.rssi === null ? 'at an unknown signal' : `${hearing.heard.rssi} dBm`}`;

/** Whether another radio may succeed: an error of the device itself would occur there too. */
const isOfRadio = (error: BleError): boolean =>
  ['AdapterOff', 'NotFound', 'ConnectFailed', 'LinkLimit'].includes(error._tag) ||
  (error._tag === 'Timeout' && error.operation === 'connect');

export class CombinedRadio implements Radio {
  private last: AdapterState = 'unknown';
  private closed = false;
  /** Those that are up, or are being ended. */
  private readonly links = new Map<Address, { readonly link: Link; readonly part: Part }>();
  private readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly unwatch: readonly Unsubscribe[];

  /** `inform` is told through which part a device was connected. */
  constructor(
    private readonly all: readonly Part[],
    private readonly inform: (message: string) => void,
  ) {
    this.unwatch = all.map(({ radio }) => radio.onState(() => this.update()));
    this.update();
  }

  get state(): AdapterState {
    return this.last;
  }

  get parts(): readonly RadioPart[] {
    return this.all.map((part) => {
      const { name, radio, problem, slots } = part;
      return {
        ...{ name, isUp: radio.state === 'poweredOn' },
        problem: radio.state === 'poweredOn' ? undefined : (problem?.() ?? `it is ${radio.state}`),
        slots: slots?.(),
        signalOf: (address) => radio.lastAdvertisement(address)?.rssi ?? undefined,
        isLinked: (address) => {
          const held = this.links.get(address);
          return held?.part === part && held.link.ended === undefined;
        },
      };
    });
  }

  onState(listener: (state: AdapterState) => void): Unsubscribe {
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }

  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.onEach((radio, hear) => radio.listen(hear), listener);
  }

  observe(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.onEach((radio, hear) => radio.observe(hear), listener);
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.hearing(address)[0]?.heard;
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link> {
    return async () => {
      // A link before may still be ending: until then the device does not advertise.
      await this.links.get(address)?.link.disconnect();
      if (this.closed) return E.left({ _tag: 'Closed', address });
      if (this.last !== 'poweredOn') return E.left({ _tag: 'AdapterOff', state: this.last });
      const tried = new Set<Part>();
      const full: string[] = [];
      let failure: BleError = { _tag: 'NotFound', address };
      for (;;) {
        const all = this.hearing(address);
        const best = all.find(({ part }) => !tried.has(part));
        if (best === undefined) break;
        const { name, radio } = best.part;
        tried.add(best.part);
        const connected = await radio.connect(address, profile, signal)();
        if (E.isRight(connected)) {
          this.adopt(connected.right, best.part);
          this.inform(`${address} is connected through ${name}; heard by ${all.map(describe).join(', ')}`);
          return connected;
        }
        const { left } = connected;
        if (!isOfRadio(left)) return connected;
        if (left._tag === 'LinkLimit') full.push(left.full ?? name);
        else failure = left;
      }
      // A free slot would have helped.
      if (full.length > 0 && (failure._tag === 'NotFound' || full.length === tried.size))
        failure = { _tag: 'LinkLimit', address, full: full.join(', ') };
      return E.left(failure);
    };
  }

  readonly close: Task<void> = async () => {
    this.closed = true;
    this.unwatch.forEach((stop) => stop());
    await Promise.all(this.all.map(({ radio }) => radio.close()));
  };

  /** Parts that hear a device, the best signal first; those that heard it long ago last. */
  private hearing(address: Address): readonly Hearing[] {
    const all = this.all.flatMap((part): readonly Hearing[] => {
      const heard = part.radio.state === 'poweredOn' ? part.radio.lastAdvertisement(address) : undefined;
      return heard === undefined ? [] : [{ part, heard }];
    });
    const recent = Math.max(...all.map(({ heard }) => heard.heardAt.getTime())) - RECENT_MS;
    const isRecent = ({ heard }: Hearing): number => Number(heard.heardAt.getTime() >= recent);
    return all.sort((a, b) => isRecent(b) - isRecent(a) || signalOf(b) - signalOf(a));
  }

  /** The signal of a device is that of the part that hears it best. */
  private onEach(
    subscribe: (radio: Radio, hear: (advertisement: Advertisement) => void) => Unsubscribe,
    listener: (advertisement: Advertisement) => void,
  ): Unsubscribe {
    const stops = this.all.map(({ radio }) =>
      subscribe(radio, (advertisement) => {
        const best = this.lastAdvertisement(advertisement.address);
        listener(best === undefined ? advertisement : { ...advertisement, rssi: best.rssi });
      }),
    );
    return () => stops.forEach((stop) => stop());
  }

  private adopt(link: Link, part: Part): void {
    const { address } = link;
    this.links.set(address, { link, part });
    link.onEnd(() => {
      void link.disconnect().then(() => {
        if (this.links.get(address)?.link === link) this.links.delete(address);
      });
    });
  }

  private update(): void {
    const states = this.all.map(({ radio }) => radio.state);
    const state = states.includes('poweredOn')
      ? 'poweredOn'
      : states.every((one) => one === 'unknown')
        ? 'unknown'
        : 'poweredOff';
    if (this.closed || state === this.last) return;
    this.last = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }
}
