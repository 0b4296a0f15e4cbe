/** Servers with radios on one broker, and a device that takes few links. */
import { setImmediate as turn } from 'node:timers/promises';
import { DEVICE, FakeBroker, FakeMember, type Publication } from './fake-fleet.js';
import { manualTime, type ManualTime } from './manual-time.js';

const TICK_MS = 250;
/** The longest time until the radio has a link, and until the next attempt to reach a lost device, ms. */
const LINK_MS = 2_000;
const RETRY_MS = 2_000;
/** The time after which a server gives up a lost device, ms. */
const RECONNECT_MS = 60_000;
/** The time after which no session changes any more once its radio has noticed a loss, ms. */
export const LAST_CHANGE_MS = RECONNECT_MS + RETRY_MS + LINK_MS;
/** The number of messages of which one may be repeated. */
const MOST_REPEATED = 50;

interface Air {
  readonly time: ManualTime;
  /** 0 up to 1. */
  readonly random: () => number;
  /** The servers with a link to the device. */
  readonly links: Set<RadioMember>;
  /** The number of links that the device takes. */
  readonly mostLinks: number;
}

/** A server whose radio connects the device, and notices the end of a link late. */
export class RadioMember extends FakeMember {
  /** The number of changes of the session, each of which ends what was planned before. */
  private changes = 0;
  /** Whether a client of this run has ended its last session. */
  hasDismissed = false;

  constructor(
    broker: FakeBroker,
    name: string,
    run: string,
    private readonly air: Air,
  ) {
    super(broker, name, run, {
      dependencies: [],
      describe: () => ({ name, manufacturer: 'maker', model: run, entities: {} }),
    });
  }

  /** A client connects the device. */
  want(): void {
    if (this.session !== undefined) return;
    this.later(LINK_MS, () => {
      if (this.tryLink()) this.become({ isLinked: true });
    });
  }

  /** The device loses the link, and the radio notices that after `noticeMs`. */
  lose(noticeMs: number): void {
    if (!this.air.links.delete(this)) return;
    this.after(noticeMs, () => {
      this.become({ isLinked: false });
      this.seek(this.air.time.now() + RECONNECT_MS);
    });
  }

  /** A client disconnects the device. */
  disconnect(): void {
    if (this.session === undefined) return;
    this.fleet.dismiss(DEVICE);
    this.air.links.delete(this);
    this.become(undefined);
    this.hasDismissed = true;
  }

  override die(): void {
    this.changes += 1;
    this.air.links.delete(this);
    super.die();
  }

  override stop(): void {
    this.air.links.delete(this);
    super.stop();
  }

  override become(session: FakeMember['session']): void {
    this.changes += 1;
    this.hasDismissed = false;
    super.become(session);
  }

  private tryLink(): boolean {
    const { links, mostLinks } = this.air;
    return links.size < mostLinks && links.add(this).has(this);
  }

  private seek(until: number): void {
    this.later(RETRY_MS, () => {
      if (this.tryLink()) this.become({ isLinked: true });
      else if (this.air.time.now() >= until) this.become(undefined);
      else this.seek(until);
    });
  }

  private later(mostMs: number, task: () => void): void {
    this.after(this.air.random() * mostMs, task);
  }

  /** Runs a task after a time, unless the session has changed by then. */
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

/** A broker that may send a message again. */
class RepeatingBroker extends FakeBroker {
  private readonly last: Publication[] = [];

  override publish(publication: Publication): void {
    super.publish(publication);
    this.last.push(publication);
    if (this.last.length > MOST_REPEATED) this.last.shift();
  }

  /** Sends one of the last messages again; `at`: 0 up to 1. */
  repeat(at: number): void {
    const publication = this.last[Math.floor(at * this.last.length)];
    if (publication === undefined) return;
    for (const member of this.members)
      if (member.hears(publication.topic)) member.inbox.push({ ...publication, retained: false });
  }
}

export interface FleetWorldOptions {
  readonly servers: number;
  /** The number of links that the device takes. */
  readonly links: number;
  /** The longest time for which a message is on its way to the broker or from it, ms. */
  readonly tripMs: number;
  /** 0 up to 1. */
  readonly random: () => number;
}

export class FleetWorld {
  readonly members: RadioMember[];
  readonly broker: RepeatingBroker;
  private readonly namesakes: RadioMember[] = [];
  private readonly air: Air;
  private readonly ways = new WeakMap<readonly object[], Way>();
  private snapshot: ReadonlyMap<string, Publication> = new Map();
  private runs = 0;

  constructor(private readonly options: FleetWorldOptions) {
    const { random, links: mostLinks } = options;
    const time = manualTime();
    this.air = { time, random, links: new Set(), mostLinks };
    this.broker = new RepeatingBroker(time);
    this.members = Array.from({ length: options.servers }, (_, index) => this.newMember(`server-${index}`));
  }

  memberOf(index: number): RadioMember {
    const member = this.members[index % this.members.length];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    return member;
  }

  /** Ends a server, and starts it again under the same name. */
  restart(index: number, end: 'die' | 'stop'): void {
    const member = this.memberOf(index);
    member[end]();
    this.members[index % this.members.length] = this.newMember(member.name);
  }

  /** Another server with the name of a server connects to the broker and to the device. */
  startNamesake(index: number): void {
    const namesake = this.newMember(this.memberOf(index).name);
    this.namesakes.push(namesake);
    namesake.connect();
    namesake.want();
  }

  /** The namesakes are stopped for good. True: there were any. */
  endNamesakes(): boolean {
    const all = this.namesakes.splice(0);
    for (const namesake of all) namesake.die();
    return all.length > 0;
  }

  keepSnapshot(): void {
    this.snapshot = new Map(this.broker.retained);
  }

  /**
   * The broker loses all connections, and publishes no last wills. It then has the retained messages of before, none, or old ones.
   */
  restartBroker(memory: 'kept' | 'none' | 'old'): void {
    const { broker } = this;
    for (const member of [...broker.members]) member.cut();
    broker.wills.length = 0;
    if (memory === 'kept') return;
    broker.retained.clear();
    if (memory === 'old') for (const [topic, message] of this.snapshot) broker.retained.set(topic, message);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.air.time.advance(TICK_MS);
      await turn();
      for (const member of [...this.members, ...this.namesakes]) {
        while (this.wayOf(member.outbox).isDue) member.send();
        while (this.wayOf(member.inbox).isDue) member.receive();
      }
      await turn();
    }
  }

  /** All servers are online, all last wills published, and `ms` pass. */
  async settle(ms: number): Promise<void> {
    for (const member of this.members) member.connect();
    while (this.broker.wills.length > 0) this.broker.publishWill();
    await this.pass(ms);
  }

  close(): void {
    this.endNamesakes();
    for (const member of this.members) member.die();
  }

  private newMember(name: string): RadioMember {
    this.runs += 1;
    return new RadioMember(this.broker, name, `${name}-${this.runs}`, this.air);
  }

  private wayOf(queue: readonly object[]): Way {
    const { random, tripMs } = this.options;
    const way = this.ways.get(queue) ?? new Way(queue, this.air.time, () => random() * tripMs);
    this.ways.set(queue, way);
    return way;
  }
}
