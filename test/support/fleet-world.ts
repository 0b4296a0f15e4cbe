/** Servers with radios, a device that takes few links, and brokers that forward messages to each other. */
import { setImmediate as turn } from 'node:timers/promises';
import { DEVICE, FakeBroker, FakeMember, type Publication } from './fake-fleet.js';
import { manualTime, type ManualTime } from './manual-time.js';

const TICK_MS = 250;
/** The longest time until the radio has a link, until the device is ready, and until the next attempt to reach a lost device, ms. */
const LINK_MS = 2_000;
const OPEN_MS = 1_500;
const RETRY_MS = 2_000;
/** The time after which a server gives up a lost device, ms. */
export const RECONNECT_MS = 60_000;

interface Air {
  readonly time: ManualTime;
  /** 0 up to 1. */
  readonly random: () => number;
  /** The servers with a link to the device. */
  readonly links: Set<RadioMember>;
  /** The number of links that the device takes. */
  readonly mostLinks: number;
  /** The broker of a server's next connection. */
  readonly nextBroker: () => FakeBroker;
}

/** A server whose radio connects the device, and notices the end of a link late. */
export class RadioMember extends FakeMember {
  /** Whether its radio reports a link, which may have ended. */
  private reportsLink = false;
  /** Whether another server has taken the device in spite of a link to it. */
  wasRobbed = false;
  /** The number of changes of `part`, each of which ends what was planned before. */
  private changes = 0;

  constructor(
    name: string,
    run: string,
    private readonly air: Air,
  ) {
    super(air.nextBroker(), name, run, {
      dependencies: [],
      describe: () => ({ name, manufacturer: 'maker', model: run, entities: {} }),
    });
  }

  override get isLinked(): boolean {
    return this.reportsLink;
  }

  /** A client connects the device. `isPhantom`: the radio reports a link that was never made (HCI error 0x3E). */
  async want(isPhantom = false): Promise<void> {
    const { changes } = this;
    if (this.part !== 'none') return;
    await this.claim();
    if (!this.holds || changes !== this.changes) return;
    this.later(LINK_MS, () => {
      const isRefused = !isPhantom && !this.tryLink();
      if (isRefused) this.release();
      else
        this.later(OPEN_MS, () => {
          if (this.air.links.has(this)) this.report(true);
          else this.release();
        });
    });
  }

  /** The device loses the link, and the radio notices that after `noticeMs`. */
  lose(noticeMs: number): void {
    if (!this.air.links.delete(this)) return;
    this.after(noticeMs, () => {
      this.report(false);
      this.seek(this.air.time.now() + RECONNECT_MS);
    });
  }

  /** A client disconnects the device. */
  disconnect(): void {
    if (!this.holds) return;
    this.release();
    this.fleet.forget(DEVICE);
  }

  override connect(): void {
    if (!this.isOnline) this.broker = this.air.nextBroker();
    super.connect();
  }

  override die(): void {
    this.end();
    super.die();
  }

  override stop(): void {
    super.stop();
    this.end();
  }

  protected override taken(): void {
    if (this.reportsLink && this.air.links.has(this)) this.wasRobbed = true;
    super.taken();
  }

  protected override become(part: FakeMember['part']): void {
    this.changes += 1;
    if (part === 'none') this.end();
    super.become(part);
  }

  private tryLink(): boolean {
    const { links, mostLinks } = this.air;
    return links.size < mostLinks && links.add(this).has(this);
  }

  private end(): void {
    this.changes += 1;
    this.reportsLink = false;
    this.air.links.delete(this);
  }

  private report(hasLink: boolean): void {
    this.reportsLink = hasLink;
    this.become('session');
  }

  private seek(until: number): void {
    this.later(RETRY_MS, () => {
      if (this.tryLink()) this.report(true);
      else if (this.air.time.now() >= until) this.release();
      else this.seek(until);
    });
  }

  private later(mostMs: number, task: () => void): void {
    this.after(this.air.random() * mostMs, task);
  }

  /** Runs a task after a time, unless the server's use of the device has changed by then. */
  private after(ms: number, task: () => void): void {
    const { changes } = this;
    this.air.time.after(ms, () => {
      if (changes === this.changes) task();
    });
  }
}

/** Messages on their way; none overtakes another. */
class Way {
  private readonly due = new WeakMap<object, number>();
  private lastDue = 0;

  constructor(
    readonly queue: readonly object[],
    private readonly time: ManualTime,
    private readonly delay: () => number,
  ) {}

  /** Whether the first message has arrived. */
  get isDue(): boolean {
    for (const message of this.queue)
      if (!this.due.has(message)) {
        this.lastDue = Math.max(this.lastDue, this.time.now() + this.delay());
        this.due.set(message, this.lastDue);
      }
    const [first] = this.queue;
    return first !== undefined && (this.due.get(first) ?? 0) <= this.time.now();
  }
}

export interface FleetWorldOptions {
  readonly servers: number;
  readonly brokers: number;
  /** The number of links that the device takes. */
  readonly links: number;
  /** The longest time for which a message is on its way to a broker or from it, ms. */
  readonly tripMs: number;
  /** The longest time for which a message is on its way from a broker to another one, ms. */
  readonly forwardMs: number;
  /** 0 up to 1. */
  readonly random: () => number;
}

/** Servers on brokers that are a cluster. Each connection of a server is to any of the brokers. */
export class FleetWorld {
  readonly members: RadioMember[];
  readonly brokers: readonly FakeBroker[];
  private readonly air: Air;
  private readonly forwarded: {
    readonly to: FakeBroker;
    readonly queue: Publication[];
    readonly way: Way;
  }[] = [];
  private readonly ways = new WeakMap<readonly object[], Way>();
  private snapshot: ReadonlyMap<string, Publication> = new Map();
  private runs = 0;

  constructor(
    private readonly options: FleetWorldOptions,
    /** Called after each tick. */
    private readonly ticked: (world: FleetWorld) => void,
  ) {
    const { random, links: mostLinks } = options;
    const time = manualTime();
    const nextBroker = (): FakeBroker => this.brokerOf(Math.floor(random() * options.brokers));
    this.air = { time, random, links: new Set(), mostLinks, nextBroker };
    const queues = Array.from({ length: options.brokers }, (): Publication[][] => []);
    this.brokers = queues.map(
      (out) =>
        new FakeBroker(time, (publication) => {
          for (const queue of out) queue.push({ ...publication });
        }),
    );
    for (const [from, out] of queues.entries())
      for (const [index, to] of this.brokers.entries()) {
        const queue: Publication[] = [];
        const way = new Way(queue, time, () => random() * options.forwardMs);
        if (index === from) continue;
        out.push(queue);
        this.forwarded.push({ to, queue, way });
      }
    this.members = Array.from({ length: options.servers }, (_, index) => this.newMember(`server-${index}`));
  }

  get now(): number {
    return this.air.time.now();
  }

  /** The servers that may use the device. */
  get holders(): readonly RadioMember[] {
    return this.members.filter(({ holds }) => holds);
  }

  memberOf(index: number): RadioMember {
    const member = this.members[index % this.members.length];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    return member;
  }

  brokerOf(index: number): FakeBroker {
    const broker = this.brokers[index % this.brokers.length];
    if (broker === undefined) throw new Error(`there is no broker ${index}`);
    return broker;
  }

  /** Ends a server, and starts it again under the same name. */
  restart(index: number, end: 'die' | 'stop'): void {
    const member = this.memberOf(index);
    member[end]();
    this.runs += 1;
    this.members[index % this.members.length] = this.newMember(member.name);
  }

  keepSnapshot(): void {
    this.snapshot = new Map(this.brokerOf(0).retained);
  }

  /**
   * A broker loses all connections, and publishes no last wills. A broker without others then has the retained
   * messages of before, none, or old ones.
   */
  restartBroker(index: number, memory: 'kept' | 'none' | 'old'): void {
    const broker = this.brokerOf(index);
    for (const member of [...broker.members]) member.cut();
    broker.wills.length = 0;
    if (memory === 'kept' || this.brokers.length > 1) return;
    broker.retained.clear();
    if (memory === 'old') for (const [topic, message] of this.snapshot) broker.retained.set(topic, message);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.air.time.advance(TICK_MS);
      await turn();
      for (const { to, queue, way } of this.forwarded)
        while (way.isDue) {
          const message = queue.shift();
          if (message !== undefined) to.deliver(message);
        }
      for (const member of this.members) {
        while (this.wayOf(member.outbox).isDue) member.send();
        while (this.wayOf(member.inbox).isDue) member.receive();
      }
      await turn();
      this.ticked(this);
    }
  }

  /** All servers are online, all last wills published, all servers hear the device, and `ms` pass. */
  async settle(ms: number): Promise<void> {
    for (const member of this.members) member.connect();
    for (const broker of this.brokers) while (broker.wills.length > 0) broker.publishWill();
    for (const member of this.members) member.hear();
    await this.pass(ms);
  }

  close(): void {
    for (const member of this.members) member.die();
  }

  private newMember(name: string): RadioMember {
    return new RadioMember(name, `${name}-${this.runs}`, this.air);
  }

  private wayOf(queue: readonly object[]): Way {
    const { random, tripMs } = this.options;
    const way = this.ways.get(queue) ?? new Way(queue, this.air.time, () => random() * tripMs);
    this.ways.set(queue, way);
    return way;
  }
}
