/** The clocks as the page knows them: what the server says of each, and what it received of them. */
import { batch, computed, signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import {
  DetailedClockEvent,
  endpoints,
  EventsMissed,
  health,
  MAX_PIECE,
  type Alarm,
  type CommandName,
  type Device,
  type DiscoveredClock,
  type Sensors,
  type Settings,
  type SettingsChange,
} from '../../clock/contract.js';
import { call, UNREACHABLE, type Failure } from '../api.js';
import { openCommands, type CommandClient } from '../commands.js';
import { followEvents } from '../events.js';
import { token } from '../token.js';

/** A reading, and when the server received it, ms since 1970. */
export interface Point extends Sensors {
  readonly at: number;
}

/** Null: not known yet. */
export interface ShelfClock {
  readonly address: string;
  readonly name: string;
  readonly rssi: number | null;
  readonly linked: boolean;
  readonly reading: Sensors | null;
  readonly battery: number | null;
  readonly settings: Settings | null;
  readonly alarms: readonly Alarm[] | null;
  readonly firmware: string | null;
  /** What was received, oldest first. */
  readonly points: readonly Point[];
  /** Whether its time was set, as far as is remembered. */
  readonly timeSet: boolean;
  /** Of the upload that is under way. */
  readonly progress: number | null;
}

/** What the page is doing about the server. */
export type Connection = 'connecting' | 'open' | 'lost' | 'token';

export const connection = signal<Connection>('connecting');
export const clocks = signal<ReadonlyMap<string, ShelfClock>>(new Map());
/** The clocks that a scan found; null: there was none yet. */
export const found = signal<readonly DiscoveredClock[] | null>(null);
export const scanning = signal(false);
export const adapter = signal('poweredOn');
/** Whether there are events that the server could not send any more. */
export const missed = signal(false);
/** Those that are bound to another token. */
export const refused = signal<ReadonlySet<string>>(new Set());
/** Ticks with the clocks. */
export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 1_000);

/** Those that were found and are not on the shelf. */
export const newClocks = computed(
  () => found.value?.filter(({ address }) => !clocks.value.has(address)) ?? null,
);

/** The most readings that are kept of a clock: a day of one every ten seconds. */
const MOST_POINTS = 8_640;

const SCAN_SECS = 3;

const change = (address: string, changed: Partial<ShelfClock>): void => {
  const clock = clocks.value.get(address);
  if (clock !== undefined) clocks.value = new Map(clocks.value).set(address, { ...clock, ...changed });
};

let client: CommandClient | undefined;

const run: CommandClient['run'] = (type, given) =>
  client === undefined ? Promise.resolve(E.left(UNREACHABLE)) : client.run(type, given);

export type Outcome = Promise<Failure | null>;

/** Why it failed; `done` is called with the answer if it did not. */
const after = async <A>(outcome: Promise<E.Either<Failure, A>>, done: (answer: A) => void): Outcome => {
  const ended = await outcome;
  if (E.isLeft(ended)) return ended.left;
  batch(() => done(ended.right));
  return null;
};

const nothing = (): void => undefined;

const readAlarms = (address: string): Outcome =>
  after(run('read_alarms', { address }), (alarms) => change(address, { alarms }));

export const readSettings = (address: string): Outcome =>
  after(run('read_settings', { address }), (settings) => change(address, { settings }));

const readAll = async (address: string): Promise<void> => {
  await Promise.all([
    after(call(endpoints.sensors, { params: { address } }), (reading) => change(address, { reading })),
    after(run('read_battery', { address }), ({ battery }) => change(address, { battery })),
    readSettings(address),
    readAlarms(address),
    after(run('read_firmware', { address }), ({ firmware }) => change(address, { firmware })),
  ]);
};

const put = ({ address, name, rssi }: Device): void => {
  const known = clocks.value.get(address) ?? {
    reading: null,
    battery: null,
    settings: null,
    alarms: null,
    firmware: null,
    points: [],
    timeSet: false,
    progress: null,
  };
  clocks.value = new Map(clocks.value).set(address, { ...known, address, name, rssi, linked: true });
};

/** Reads which clocks are connected; those that are not any more stay, to be connected again. */
const refresh = async (): Promise<readonly Device[]> => {
  const [all, state] = await Promise.all([call(endpoints.devices, {}), call(health.health, {})]);
  if (E.isLeft(all) && all.left.code === 'unauthorized') connection.value = 'token';
  else if (connection.value === 'token') connection.value = 'connecting';
  const devices = E.isRight(all) ? all.right : [];
  batch(() => {
    if (E.isRight(state)) adapter.value = state.right.adapter;
    for (const address of clocks.value.keys()) change(address, { linked: false });
    for (const device of devices) put(device);
  });
  return devices;
};

/** Whoever changed it: what a command of this name makes stale. */
const REREAD: Partial<Readonly<Record<CommandName, (address: string) => Outcome>>> = {
  set_alarm: readAlarms,
  delete_alarm: readAlarms,
  write_settings: readSettings,
  upload_ringtone: readSettings,
};

/** Where the server was when the page was opened. */
let opened = { seq: 0, instance: '' };

/** Whether it happened since the page was opened. */
const isNews = ({ seq, instance }: DetailedClockEvent): boolean =>
  instance !== opened.instance || seq > opened.seq;

const measured = (address: string, time: string, { temperature, humidity }: Sensors): void => {
  const points = clocks.value.get(address)?.points ?? [];
  const reading = { temperature, humidity };
  change(address, {
    reading,
    points: [...points, { ...reading, at: Date.parse(time) }].slice(-MOST_POINTS),
  });
};

const apply = (event: DetailedClockEvent): void => {
  const { address, time } = event;
  switch (event.event) {
    case 'sensor_update': {
      measured(address, time, event.data);
      return;
    }
    case 'advertisement': {
      measured(address, time, event.data);
      if (event.data.battery !== null) change(address, { battery: event.data.battery });
      return;
    }
    case 'battery_level': {
      change(address, { battery: event.data.level });
      return;
    }
    case 'disconnected': {
      if (isNews(event)) change(address, { linked: false, progress: null });
      return;
    }
    case 'reconnected': {
      if (!isNews(event)) return;
      change(address, { linked: true });
      void readAll(address);
      return;
    }
    case 'ack': {
      const { command, status } = event.data;
      if (command === 'sync_time' && status === 'success') change(address, { timeSet: true });
      if (status === 'success' && isNews(event)) void REREAD[command]?.(address);
      return;
    }
    case 'upload_progress': {
      change(address, { progress: event.data.sent / event.data.total });
      return;
    }
  }
};

const received = (message: unknown): void => {
  const event = DetailedClockEvent.decode(message);
  if (E.isRight(event)) {
    batch(() => apply(event.right));
    return;
  }
  if (E.isRight(EventsMissed.decode(message))) missed.value = true;
  else client?.answered(message);
};

const follow = async (devices: readonly Device[]): Promise<void> => {
  await Promise.all(
    devices.map(async ({ address }) => {
      await run('subscribe_events', { address });
      await readAll(address);
    }),
  );
};

const RETRY_MS = 1_000;

/** Follows the server from its first event that it still has. */
export const start = async (): Promise<void> => {
  const state = await call(health.health, {});
  if (E.isLeft(state)) {
    connection.value = 'lost';
    setTimeout(() => void start(), RETRY_MS);
    return;
  }
  await refresh();
  if (connection.value === 'token') return;
  const { seq, instance } = state.right;
  opened = { seq, instance };
  const { send } = followEvents({
    from: { seq: 0, instance },
    query: () => [
      ['detail', 'full'],
      ...[...clocks.value.keys()].map((address): [string, string] => ['address', address]),
    ],
    received,
    connected: (is) => {
      connection.value = is ? 'open' : 'lost';
      if (is) void refresh().then(follow);
      else client?.lost();
    },
  });
  client = openCommands(send);
};

export const useToken = async (given: string): Promise<void> => {
  token.value = given;
  await start();
};

export const scan = async (): Outcome => {
  scanning.value = true;
  const failure = await after(run('scan', { duration_secs: SCAN_SECS }), (all) => (found.value = all));
  scanning.value = false;
  return failure;
};

/** A clock that is bound to another token is `refused`, which says more than the failure. */
export const connect = async (address: string): Outcome => {
  const failure = await after(run('connect', { address }), nothing);
  const isRefused = failure?.code === 'auth_failed';
  const others = [...refused.value].filter((other) => other !== address);
  refused.value = new Set(isRefused ? [...others, address] : others);
  if (failure === null) await follow((await refresh()).filter((device) => device.address === address));
  return isRefused ? null : failure;
};

export const disconnect = async (address: string): Outcome => {
  const failure = await after(run('disconnect', { address }), nothing);
  if (failure !== null && failure.code !== 'not_connected') return failure;
  await run('unsubscribe_events', { address });
  clocks.value = new Map([...clocks.value].filter(([other]) => other !== address));
  return null;
};

export const syncTime = (address: string): Outcome => after(run('sync_time', { address }), nothing);

const putAlarm = (address: string, slot: number, alarm: readonly Alarm[]): void => {
  const others = (clocks.value.get(address)?.alarms ?? []).filter((other) => other.slot !== slot);
  change(address, { alarms: [...others, ...alarm].sort((a, b) => a.slot - b.slot) });
};

export const setAlarm = (address: string, alarm: Alarm): Outcome =>
  after(run('set_alarm', { address, ...alarm }), (set) => putAlarm(address, set.slot, [set]));

export const deleteAlarm = (address: string, slot: number): Outcome =>
  after(run('delete_alarm', { address, slot }), () => putAlarm(address, slot, []));

export const writeSettings = (address: string, settings: SettingsChange): Outcome =>
  after(run('write_settings', { address, settings }), (written) => change(address, { settings: written }));

export const setBrightness = (address: string, value: number): Outcome =>
  after(run('set_brightness', { address, value }), nothing);

export const playTone = (address: string): Outcome => after(run('preview_ringtone', { address }), nothing);

/** Sends samples piece by piece, each when the one before was taken. */
export const uploadTone = async (address: string, samples: Uint8Array): Outcome => {
  change(address, { progress: 0 });
  let failure: Failure | null = null;
  for (let offset = 0; offset < samples.length && failure === null; offset += MAX_PIECE) {
    const data = samples.slice(offset, offset + MAX_PIECE);
    const last = offset + data.length === samples.length;
    failure = await after(
      run('upload_ringtone', { address, offset, data, last, format: 'pcm_u8_8k' }),
      nothing,
    );
  }
  change(address, { progress: null });
  return failure;
};
