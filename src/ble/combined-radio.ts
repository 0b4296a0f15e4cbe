/** One or several radios as one, such as an adapter and proxies: links go through the radio with the best signal of the device. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type {
  Address,
  Advertisement,
  BleError,
  GattProfile,
  Link,
  Radio,
  RadioPart,
  Unsubscribe,
} from './ports.js';
import { adapterOff } from './adapter-off.js';
import { ListenedRadio } from './listened-radio.js';
import { problemText, type Problem } from './problem.js';

/** A part counts as hearing a device if its advertisement is at most this much older than the newest one, ms. */
const RECENT_MS = 10_000;

/** Weaker than every signal that a radio reports, dBm. */
const UNKNOWN_RSSI = -128;

/** A radio with its name. */
export interface Part {
  readonly name: string;
  readonly radio: Radio;
  /** The reason why it cannot be used, or may hear nothing or lose something, beside its name; left out: `problem` of the radio. */
  readonly problem?: () => Problem | undefined;
  /** The links that it has room for; undefined: not known. */
  readonly slots?: () => { readonly free: number; readonly limit: number } | undefined;
  /** Whether it can hear devices; left out: it can while it is on. */
  readonly hears?: () => boolean;
}

/** A part, and the last advertisement of a device that it has received. */
interface Hearing {
  readonly part: Part;
  readonly advertisement: Advertisement;
  /** Whether no other part has received a much newer one. */
  readonly isRecent: boolean;
}

const signalOf = ({ advertisement: { rssi } }: Hearing): number => rssi ?? UNKNOWN_RSSI;

/** Sorts by signal, the best first; radios that heard the device long ago come last. */
const byQuality = (a: Hearing, b: Hearing): number =>
  Number(b.isRecent) - Number(a.isRecent) || signalOf(b) - signalOf(a);

const describe = (hearing: Hearing): string =>
  `${hearing.part.name} ${hearing.advertisement.rssi === null ? 'at an unknown signal' : `${hearing.advertisement.rssi} dBm`}`;

/** Whether another radio may succeed: an error of the device itself would occur there too. */
const isOfRadio = (error: BleError): boolean =>
  ['AdapterOff', 'NotFound', 'ConnectFailed', 'LinkLimit'].includes(error._tag) ||
  (error._tag === 'Timeout' && error.operation === 'connect');

export class CombinedRadio extends ListenedRadio implements Radio {
  /** Links that are up or about to end. */
  private readonly links = new Map<Address, { readonly link: Link; readonly part: Part }>();
  private readonly all: Part[] = [];
  private readonly unwatch = new Map<Part, () => void>();
  /** Stops the scan of each part, while somebody listens. */
  private readonly stopScan = new Map<Part, Unsubscribe>();

  /** `inform` gets a message about the part through which a device was connected; `closing` runs when the radio closes. */
  constructor(
    parts: readonly Part[],
    private readonly inform: (message: string) => void,
    private readonly closing: Task<void> = () => Promise.resolve(),
  ) {
    super();
    for (const part of parts) this.add(part);
  }

  /** Adds a radio. */
  add(part: Part): void {
    const { radio } = part;
    this.all.push(part);
    const stops = [
      radio.onState(() => this.update()),
      radio.observe((advertisement) => this.receive(advertisement)),
    ];
    this.unwatch.set(part, () => stops.forEach((stop) => stop()));
    this.updateScan();
    this.update();
  }

  /** Removes a radio, which the caller closes. */
  remove(radio: Radio): void {
    const index = this.all.findIndex((part) => part.radio === radio);
    const [part] = index < 0 ? [] : this.all.splice(index, 1);
    if (part === undefined) return;
    this.unwatch.get(part)?.();
    this.unwatch.delete(part);
    this.updateScan();
    this.update();
  }

  get parts(): readonly RadioPart[] {
    return this.all.map((part) => {
      const { name, radio, problem, slots, hears } = part;
      const isUp = radio.state === 'poweredOn';
      const reason = problem === undefined ? radio.problem : problem();
      return {
        ...{ name, isUp, hears: hears?.() ?? isUp },
        problem: reason === undefined ? (isUp ? undefined : `it is ${radio.state}`) : problemText(reason),
        slots: slots?.(),
        signalOf: (address) => radio.lastAdvertisement(address)?.rssi ?? undefined,
        isLinked: (address) => {
          const held = this.links.get(address);
          return held?.part === part && held.link.ended === undefined;
        },
      };
    });
  }

  /** The problems of all radios, unless one of them can be used. */
  get problem(): Problem | undefined {
    if (this.parts.some(({ isUp, hears }) => isUp && hears)) return undefined;
    const [first, ...others] = this.all.flatMap(({ radio: { problem } }) => problem ?? []);
    return others.length === 0 ? first : first && { what: [first, ...others].map(problemText).join('; ') };
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.best(address)?.advertisement;
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link> {
    return async () => {
      // The device does not advertise until its earlier link has ended.
      await this.links.get(address)?.link.disconnect();
      if (this.closed) return E.left({ _tag: 'Closed', address });
      if (this.state !== 'poweredOn') return E.left(adapterOff(this));
      const [only, ...others] = this.all;
      if (only !== undefined && others.length === 0)
        return this.connectThrough(only, address, profile, signal);
      const tried = new Set<Part>();
      const full: string[] = [];
      let failure: BleError = { _tag: 'NotFound', address };
      for (;;) {
        const all = [...this.hearing(address)].sort(byQuality);
        const best = all.find(({ part }) => !tried.has(part));
        if (best === undefined) break;
        const { name } = best.part;
        tried.add(best.part);
        const connected = await this.connectThrough(best.part, address, profile, signal);
        if (E.isRight(connected)) {
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
    this.updateScan();
    await Promise.all([this.closing(), ...this.all.map(({ radio }) => radio.close())]);
  };

  private async connectThrough(
    part: Part,
    ...device: Parameters<Radio['connect']>
  ): Promise<E.Either<BleError, Link>> {
    const connected = await part.radio.connect(...device)();
    if (E.isRight(connected)) this.adopt(connected.right, part);
    return connected;
  }

  private hearing(address: Address): readonly Hearing[] {
    const all = this.all.flatMap((part) => {
      const last = part.radio.state === 'poweredOn' ? part.radio.lastAdvertisement(address) : undefined;
      return last === undefined ? [] : [{ part, advertisement: last }];
    });
    const since = Math.max(...all.map(({ advertisement }) => advertisement.heardAt.getTime())) - RECENT_MS;
    return all.map((hearing) => ({ ...hearing, isRecent: hearing.advertisement.heardAt.getTime() >= since }));
  }

  private best(address: Address): Hearing | undefined {
    return [...this.hearing(address)].sort(byQuality)[0];
  }

  /** The signal of a device is that of the part that hears it best. */
  private receive(advertisement: Advertisement): void {
    const best = this.best(advertisement.address);
    const combined = best === undefined ? advertisement : { ...advertisement, rssi: best.advertisement.rssi };
    this.hear(combined);
  }

  protected updateScan(): void {
    const parts = this.closed || this.listeners.size === 0 ? [] : this.all;
    for (const [part, stop] of this.stopScan) {
      if (parts.includes(part)) continue;
      this.stopScan.delete(part);
      stop();
    }
    for (const part of parts) {
      if (!this.stopScan.has(part))
        this.stopScan.set(
          part,
          part.radio.listen(() => undefined),
        );
    }
  }

  private adopt(link: Link, part: Part): void {
    const { address } = link;
    this.links.set(address, { link, part });
    link.onEnd(() => {
      detached(
        link.disconnect().then(() => {
          if (this.links.get(address)?.link === link) this.links.delete(address);
        }),
      );
    });
  }

  private update(): void {
    const states = this.all.map(({ radio }) => radio.state);
    const [first = 'unknown'] = states;
    const others = states.includes('poweredOn') ? 'poweredOn' : 'poweredOff';
    this.changeState(states.every((state) => state === first) ? first : others);
  }
}
