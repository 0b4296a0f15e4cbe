/** A proxy as a radio. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../../async/time.js';
import {
  addressText,
  dispatch,
  Feature,
  RAW_ADVERTISEMENTS,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type MessageTap,
  type Receivers,
} from '../../protocols/esphome/index.js';
import type { Memory } from '../advertisement-cache.js';
import { adapterOff } from '../adapter-off.js';
import { ListenedRadio } from '../listened-radio.js';
import type { Address, Advertisement, BleError, BleLimits, GattProfile, Radio } from '../ports.js';
import { problemText, type Problem } from '../problem.js';
import { ApiClient, describeProxy, type ProxyAddress } from './api-client.js';
import { Hearing } from './hearing.js';
import type { EsphomeLink } from './link.js';
import { FULL, ProxyLinks, type ProxySlots } from './links.js';
import { Subscription, type SubscriptionState } from './subscription.js';

/** The remedy for a proxy that does not answer. */
const FIX = 'see whether it is on, in this network, and has `api:` in its configuration';
const SCANNER_FAILED = { what: 'it cannot scan', fix: 'restart it' };

export interface ProxyLog {
  readonly inform: (message: string) => void;
  /** Called with each new reason why a proxy cannot be used, or answers no more on its links. */
  readonly warn: (message: string) => void;
  /** Makes the tap of a proxy's messages, by the name of the proxy. */
  readonly tap?: (proxy: string) => MessageTap;
}

export interface ProxyOptions extends ProxyAddress, ProxyLog {
  readonly time: TimeSource;
  readonly limits: BleLimits;
  readonly memory: Memory;
}

export class EsphomeProxy extends ListenedRadio implements Radio {
  readonly name: string;
  private readonly hearing: Hearing;
  private readonly links: ProxyLinks;
  private readonly client: ApiClient;
  private connection: ApiConnection | undefined;
  /** Bits of `Feature`. */
  private features = 0;
  private scannerFailed = false;
  private readonly subscription: Subscription;
  /** The name that it reports; '' until it is connected. */
  title = '';
  /** Undefined until it has reported them. */
  slots: ProxySlots | undefined;
  /** Devices that another client had linked when this client connected. */
  foreign: readonly Address[] = [];
  /** The devices with a link through it, including links of an earlier client. */
  private allocated: readonly Address[] = [];
  /** The reason why it cannot be reached; undefined while it can. */
  private unreachable: Required<Problem> | undefined = { what: 'it has not answered yet', fix: FIX };

  constructor(private readonly options: ProxyOptions) {
    super();
    const { time, memory, limits } = options;
    this.name = describeProxy(options);
    this.hearing = new Hearing(time, memory);
    this.subscription = new Subscription({
      time,
      changed: (before) => this.updateSubscription(before),
      ask: () => this.links.ask(),
    });
    this.links = new ProxyLinks({
      ...{ name: this.name, time, limits, hearing: this.hearing },
      connection: () => this.connection,
      has: (feature) => this.has(feature),
      off: () => adapterOff({ state: 'poweredOff', problem: this.problem }),
      slots: () => this.slots,
    });
    this.client = new ApiClient({
      ...options,
      tap: options.tap?.(this.name),
      up: (connection, name, features) => this.up(connection, name, features),
      message: (message) => this.receive(message),
      down: (problem) => this.down(problem),
    });
  }

  start(): void {
    this.client.start();
  }

  isAt({ host, port }: Omit<ProxyAddress, 'key'>): boolean {
    return host === this.options.host && port === this.options.port;
  }

  /** Whether it sends its advertisements to this client, as far as its firmware says. */
  get isSubscribed(): boolean {
    return this.subscription.state === 'accepted';
  }

  /** Whether it can hear devices. */
  get hears(): boolean {
    return this.ownProblem === undefined;
  }

  /** The reason why it cannot be used, or may hear nothing, with "it" for the proxy. */
  get ownProblem(): Required<Problem> | undefined {
    if (this.unreachable !== undefined) return this.unreachable;
    if (this.scannerFailed) return SCANNER_FAILED;
    return this.subscription.problem;
  }

  get problem(): Problem | undefined {
    const { ownProblem: problem } = this;
    const effect = this.isUsable ? 'may hear nothing' : 'cannot be used';
    return problem && { ...problem, what: `the proxy ${this.name} ${effect}: ${problem.what}` };
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.hearing.cache.get(address);
  }

  /** Makes a link when its turn has come. Left `AdapterOff`: the proxy is gone; `LinkLimit`: it has no free slot. */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, EsphomeLink> {
    const connect = this.links.connect(address, profile, signal);
    return async () => (this.state === 'poweredOn' ? connect() : E.left(adapterOff(this)));
  }

  readonly close: Task<void> = async () => {
    this.closed = true;
    this.subscription.end();
    await this.links.close();
    await this.client.close();
    this.connection = undefined;
    this.hearing.close();
  };

  protected updateScan(): void {
    // Proxies scan all the time, for every client.
  }

  private up(connection: ApiConnection, name: string, features: number): void {
    this.connection = connection;
    this.features = features;
    this.allocated = [];
    this.title = name;
    this.unreachable = undefined;
    this.scannerFailed = false;
    connection.send('SubscribeConnectionsFreeRequest');
    this.subscription.begin(
      () => connection.send('SubscribeAdvertisementsRequest', { flags: RAW_ADVERTISEMENTS }),
      this.has(Feature.stateAndMode),
    );
    this.options.inform(`the proxy ${this.name} is connected; its name is ${name}`);
    this.update();
  }

  private down(problem: Problem): void {
    const isNew = this.unreachable?.what !== problem.what;
    this.unreachable = { fix: FIX, ...problem };
    if (isNew) this.warn();
    if (this.connection === undefined) return;
    this.connection = undefined;
    this.slots = undefined;
    this.subscription.end();
    this.hearing.clear();
    this.links.lost();
    this.update();
  }

  private readonly receivers: Receivers = {
    RawAdvertisementsResponse: ({ advertisements }) => {
      if (advertisements.length > 0) this.subscription.heard();
      for (const each of advertisements) {
        const advertisement = this.hearing.add(each);
        this.hear(advertisement);
        this.links.advertised(advertisement.address);
      }
    },
    ConnectionsFreeResponse: ({ free, limit, allocated }) => {
      this.allocated = allocated.map(addressText);
      if (this.slots === undefined) this.foreign = this.allocated;
      this.slots = { free, limit };
    },
    ScannerStateResponse: ({ state }) => {
      this.scannerFailed = state === ScannerState.failed;
      this.subscription.heard();
      this.update();
    },
    DeviceConnectionResponse: (state) => {
      this.subscription.heard();
      // The proxy reports the slot as free only in its next message.
      if (!state.connected && !FULL.includes(state.error) && this.slots?.free === 0)
        this.slots = { ...this.slots, free: 1 };
      this.links.changed(state);
    },
    ClearCacheResponse: () => undefined,
  };

  private receive(message: AnyMessage): void {
    if (dispatch(this.receivers, message)) return;
    this.subscription.heard();
    this.links.receive(message);
  }

  private has(feature: number): boolean {
    return (this.features & feature) !== 0;
  }

  /** A silence without links is no surprise: it is not logged, nor is its end. */
  private updateSubscription(before: SubscriptionState): void {
    if (this.subscription.state === 'quiet' || before === 'quiet') {
      this.update();
      return;
    }
    if (this.subscription.problem === undefined) {
      this.options.inform(`the proxy ${this.name} sends its advertisements here`);
      for (const address of this.allocated) this.links.endUnused(address);
    } else {
      this.warn();
      this.links.unheard();
    }
    this.update();
  }

  private warn(): void {
    if (this.problem !== undefined) this.options.warn(problemText(this.problem));
  }

  private get isUsable(): boolean {
    return this.unreachable === undefined && !this.scannerFailed && this.subscription.state !== 'refused';
  }

  private update(): void {
    this.changeState(this.isUsable ? 'poweredOn' : 'poweredOff');
  }
}
