/** The clocks as the page knows them: by the answers of the server, and by its events. */
import { batch, effect, untracked } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import {
  commands,
  DetailedClockEvent,
  endpoints,
  EventsMissed,
  health,
  POLLED_FIELDS,
  type PolledField,
} from '../../clock/contract.js';
import { alarmPassed } from '../../clock/next-alarm.js';
import { after, call, UNREACHABLE, type Outcome } from '../common/api.js';
import { openCommands, type CommandClient } from '../common/commands.js';
import { followEvents } from '../common/events.js';
import { readRadios } from '../common/radios.js';
import { adapter, connection, followServer, missed, pages } from '../common/server.js';
import { change, clocks, measured, now, put, addGap } from './state.js';

let client: CommandClient | undefined;

export const run: CommandClient['run'] = (type, given) =>
  client === undefined ? Promise.resolve(E.left(UNREACHABLE)) : client.run(type, given);

const readField: Readonly<Record<PolledField, (address: string) => Outcome>> = {
  alarms: (address) => after(run('read_alarms', { address }), (alarms) => change(address, { alarms })),
  settings: (address) =>
    after(run('read_settings', { address }), (settings) => change(address, { settings })),
  firmware: (address) =>
    after(run('read_firmware', { address }), ({ firmware }) => change(address, { firmware })),
};

const readAll = async (address: string): Promise<void> => {
  await Promise.all([
    after(call(endpoints.sensors, { params: { address } }), (reading) => change(address, { reading })),
    after(run('read_battery', { address }), ({ battery }) => change(address, { battery })),
    ...POLLED_FIELDS.map((field) => readField[field](address)),
  ]);
};

let awaited = now.peek();

// An alarm has rung: the clock may have changed it by itself.
effect(() => {
  const before = new Date(awaited);
  awaited = now.value;
  untracked(() => {
    for (const { address, linked, alarms, settings } of clocks.value.values()) {
      if (!linked || alarms === null || settings === null) continue;
      const passed = alarmPassed(alarms, settings, before);
      if (passed !== null && passed.getTime() <= awaited) detached(readField.alarms(address));
    }
  });
});

/** Where the server was when the page was opened. */
let opened = { seq: 0, instance: '' };

/** Whether it happened since the page was opened. */
const isAfterSnapshot = ({ seq, instance }: DetailedClockEvent): boolean =>
  instance !== opened.instance || seq > opened.seq;

/** Reads which clocks are connected. The others stay on the page, to be connected again. */
const read = async (): Outcome => {
  const [all, state] = await Promise.all([
    call(endpoints.devices, {}),
    call(health.health, {}),
    readRadios(),
  ]);
  return batch(() => {
    if (E.isLeft(state)) return state.left;
    const { seq, instance } = state.right;
    if (opened.instance === '') opened = { seq, instance };
    adapter.value = state.right.adapter;
    pages.value ??= state.right.pages;
    if (E.isLeft(all)) return all.left;
    const connected = new Set(all.right.map(({ address }) => address));
    for (const address of clocks.value.keys())
      if (!connected.has(address)) change(address, { linked: false });
    all.right.forEach(put);
    return null;
  });
};

const apply = (event: DetailedClockEvent): void => {
  const { address, time } = event;
  switch (event.event) {
    case 'sensor_update':
      measured(address, time, event.data);
      break;
    case 'advertisement':
      measured(address, time, event.data);
      if (event.data.battery !== null) change(address, { battery: event.data.battery });
      break;
    case 'battery_level':
      change(address, { battery: event.data.level });
      break;
    case 'disconnected':
      addGap(address);
      if (!isAfterSnapshot(event)) return;
      change(address, { linked: false, progress: null });
      // It may be for the adapter.
      detached(server.refresh());
      break;
    case 'reconnected':
      if (!isAfterSnapshot(event)) return;
      change(address, { linked: true });
      detached(server.refresh());
      detached(readAll(address));
      break;
    case 'ack': {
      const { command, status } = event.data;
      if (status !== 'success') return;
      if (command === 'sync_time') change(address, { timeSet: true });
      if (isAfterSnapshot(event))
        for (const field of commands[command].changes) detached(readField[field](address));
      break;
    }
    case 'upload_progress':
      change(address, { progress: event.data.sent / event.data.total });
      break;
  }
};

const received = (message: unknown): void => {
  const event = DetailedClockEvent.decode(message);
  if (E.isRight(event)) batch(() => apply(event.right));
  else if (E.isRight(EventsMissed.decode(message))) {
    missed.value = true;
    for (const address of clocks.value.keys()) addGap(address);
  } else client?.answered(message);
};

/** The clocks whose events come over the WebSocket that is open. */
const followed = new Set<string>();

/** Follows all connected clocks, also the ones that other clients connected. */
const followAll = async (): Promise<void> => {
  const others = [...clocks.value.values()].filter(({ linked, address }) => linked && !followed.has(address));
  await Promise.all(
    others.map(async ({ address }) => {
      followed.add(address);
      await run('subscribe_events', { address });
      await readAll(address);
    }),
  );
};

export const unfollow = async (address: string): Promise<void> => {
  followed.delete(address);
  await run('unsubscribe_events', { address });
};

export const server = followServer({
  read: async () => {
    const failure = await read();
    if (connection.value === 'open') detached(followAll());
    return failure;
  },
  follow: (connected) => {
    const events = followEvents({
      instance: opened.instance,
      query: () => [
        ['detail', 'full'],
        ...[...clocks.value.keys()].map((address): [string, string] => ['address', address]),
      ],
      received,
      connected: (is) => {
        followed.clear();
        if (!is) client?.lost();
        connected(is);
      },
    });
    client = openCommands(events.send);
    return events;
  },
  lookMs: 5_000,
});
