import { setTimeout } from 'node:timers/promises';
import { Api, Control } from '../../simulators/testing/index.js';
import { Listener, type JsonObject as Json } from '../../simulators/testing/internal/listener.js';
import { ANSWER_LIMIT } from './program.js';

export const DIE = 'D1:CE:00:00:00:01';
export const CLOCK = '58:2D:34:00:00:01';

/** The number of answers to other clients while the server searches for an absent die. */
const ANSWERS = 5;

/** Waits until `holds` is true. @throws with the last value at the limit. */
export const becomes = async <A>(
  read: () => A | Promise<A>,
  holds: (value: A) => boolean,
  limit = ANSWER_LIMIT,
): Promise<void> => {
  const deadline = AbortSignal.timeout(limit);
  for (;;) {
    const now = await read();
    if (holds(now)) return;
    if (deadline.aborted) throw new Error(`the expected state never came: ${JSON.stringify(now)}`);
    await setTimeout(50);
  }
};

interface Packet {
  readonly adapter: string | null;
  readonly summary: string;
  readonly peer: string | null;
  readonly hex: string;
}

export class Air extends Control {
  /** Puts exactly these devices on the air. */
  async populate(
    devices: readonly object[] = [
      { kind: 'dice', address: DIE },
      { kind: 'clock', address: CLOCK },
    ],
  ): Promise<void> {
    await this.reset();
    for (const device of devices) await this.add(device);
  }

  until(address: string, holds: (model: Json) => boolean): Promise<void> {
    return becomes(() => this.device(address), holds);
  }

  /** Waits until the fields of a device's model have these values. */
  shows(address: string, fields: Json): Promise<void> {
    const expected = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)] as const);
    return this.until(address, (model) =>
      expected.every(([name, text]) => JSON.stringify(model[name]) === text),
    );
  }

  /** The addresses on the air with which hosts have received a device of this name, the newest last. */
  async addressesOf(name: string): Promise<readonly unknown[]> {
    return (await this.packets())
      .filter(({ summary }) => summary.includes(`name ${name}`))
      .map(({ peer }) => peer);
  }

  /** The addresses on the air of the hosts that have connected a device, the newest last. */
  async peersOf(address: string): Promise<readonly string[]> {
    return (await this.packets())
      .filter(({ adapter, summary }) => adapter === address && summary.includes('Connection Complete'))
      .map(({ hex }) => addressIn(hex));
  }

  /** Watches for the next command of a host with this name; the result waits until a host has sent the command. */
  async watch(opcode: string): Promise<() => Promise<void>> {
    // A delay of 0 ms, which only counts.
    const id = await this.fault({ device: 'all', type: 'delay', ms: 0, stage: 'command', opcode, times: 1 });
    const counted = async (): Promise<Json | undefined> =>
      ((await this.get('/faults')) as readonly Json[]).find((fault) => fault['id'] === id);
    return () => becomes(counted, (fault) => fault?.['hits'] === 1);
  }

  private async packets(): Promise<readonly Packet[]> {
    return ((await this.get('/trace/packets?limit=1000')) as { packets: readonly Packet[] }).packets;
  }
}

/** Peer_Address of a connection event, after nine octets (Core 5.4 Vol 4 Part E 7.7.65.1). */
const addressIn = (hex: string): string => {
  const octets = Buffer.from(hex, 'hex').subarray(9, 15).reverse();
  return (octets.toString('hex').toUpperCase().match(/../g) ?? []).join(':');
};

/** A dice server, and its latest connected die. */
export class DiceServer extends Api {
  private session: unknown;

  becomes(adapter: string): Promise<void> {
    return becomes(
      () => this.get('/health'),
      (health) => (health as Json)['adapter'] === adapter,
    );
  }

  async scan(secs?: number): Promise<readonly Json[]> {
    return (await this.post(
      `/api/scan${secs === undefined ? '' : `?duration_secs=${secs}`}`,
    )) as readonly Json[];
  }

  async connects(address: string): Promise<void> {
    this.session = ((await this.post('/api/connect', { address })) as Json)['session_id'];
  }

  async disconnects(): Promise<void> {
    await this.post('/api/disconnect', { session_id: this.session });
  }

  async lights(led1: string, led2: string): Promise<void> {
    await this.post('/api/led', { session_id: this.session, led1, led2 });
  }

  /** The number of the newest event. */
  async newestEvent(): Promise<number> {
    return Number(((await this.get('/health')) as Json)['seq']);
  }

  async status(): Promise<Json> {
    return (await this.get(`/api/status/${String(this.session)}`)) as Json;
  }

  async isConnected(): Promise<void> {
    const { connected } = await this.status();
    if (connected !== true) throw new Error('the link is lost');
  }

  async hasBattery(level: number): Promise<void> {
    const battery = (await this.get(`/api/battery/${String(this.session)}`)) as Json;
    if (battery['battery_level'] !== level) throw new Error(JSON.stringify(battery));
  }

  /** Runs `act`, and waits for an event with these fields. */
  async sees(fields: Json, act: () => unknown): Promise<void> {
    const events = await Listener.open(this.socket('/ws?detail=full'), { limit: ANSWER_LIMIT });
    try {
      await act();
      await events.next((event) => Object.entries(fields).every(([name, value]) => event[name] === value));
    } finally {
      events.close();
    }
  }

  /**
   * @throws unless the server answers other clients during a search for a die out of range, and ends the search after `limit`
   * milliseconds, its own limit; the kernel's is 40 s.
   */
  async seeksInVain(air: Air, command: string, limit: number): Promise<void> {
    await this.scan();
    await air.place(DIE, { in_range: false });
    const [started, cancelled] = [await air.watch(command), await air.watch('LE Create Connection Cancel')];
    const began = performance.now();
    const connecting = this.post('/api/connect', { address: DIE }).then(() => 'a session', String);
    await started();
    const answerOthers = async (): Promise<void> => {
      for (let answers = 0; answers < ANSWERS; answers++) await this.get('/health');
    };
    const first = await Promise.race([answerOthers().then(() => 'others'), cancelled().then(() => 'search')]);
    if (first !== 'others')
      throw new Error('the server did not answer other clients before the end of the search for the die');
    const answer = await connecting;
    const took = performance.now() - began;
    await air.place(DIE, { in_range: true });
    if (!answer.includes('"code":"timeout"')) throw new Error(`the connect ended with ${answer}`);
    if (took > 2 * limit) throw new Error(`the connect ended after ${Math.round(took)} ms`);
  }
}
