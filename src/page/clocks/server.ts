/** Keeps the clocks of the page up to date by the answers and the events of the server. */
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
import { adapter, connection, followServer, inHomeAssistant, missed, pages } from '../common/server.js';
import { change, clocks, measured, now, put, addGap, records } from './state.js';

let client: CommandClient | undefined;

export const run: CommandClient['run'] = (type, input) =>
  client === undefined ? Promise.resolve(E.left(UNREACHABLE)) : client.run(type, input);

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

let checkedUntil = now.peek();

// Reads the alarms again after one has rung: a clock switches some off by itself.
effect(() => {
  const before = new Date(checkedUntil);
  checkedUntil = now.value;
  untracked(() => {
    for (const { address, linked, alarms, settings } of clocks.value.values()) {
      if (!linked || alarms === null || settings === null) continue;
      const passed = alarmPassed(alarms, settings, before);
      if (passed !== null && passed.getTime() <= checkedUntil) detached(readField.alarms(address));
    }
  });
});

/** The position of the server's newest event when the page was opened. */
let opened = { seq: 0, instance: '' };

/** Whether the event happened after the page was opened. */
const isAfterSnapshot = ({ seq, instance }: DetailedClockEvent): boolean =>
  instance !== opened.instance || seq > opened.seq;

/** Reads the connected clocks. Other clocks stay on the page, so that people can connect them again. */
const read = async (signal: AbortSignal): Outcome => {
  const [all, state, remembered] = await Promise.all([
    call(endpoints.devices, {}, signal),
    call(health.health, {}, signal),
    call(endpoints.clocks, {}, signal),
    readRadios(signal),
  ]);
  return batch(() => {
    if (E.isLeft(state)) return state.left;
    const { seq, instance } = state.right;
    if (opened.instance === '') opened = { seq, instance };
    adapter.value = state.right.adapter;
    inHomeAssistant.value = state.right.home_assistant;
    pages.value ??= state.right.pages;
    if (E.isLeft(all)) return all.left;
    if (E.isLeft(remembered)) return remembered.left;
    records.value = new Map(remembered.right.map((record) => [record.address, record]));
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
      // The adapter may be off.
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

/** The clocks whose events come over the open WebSocket. */
const followed = new Set<string>();

/** An address without a subscription: to end it changes nothing, and the server answers at once. */
const NO_CLOCK = '00:00:00:00:00:00';

/** Follows all connected clocks, including clocks that other clients connected. */
const followAll = async (): Promise<void> => {
  const added = [...clocks.value.values()].filter(({ linked, address }) => linked && !followed.has(address));
  await Promise.all(
    added.map(async ({ address }) => {
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
  read: async (signal) => {
    const failure = await read(signal);
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
      ask: () => detached(run('unsubscribe_events', { address: NO_CLOCK })),
    });
    client = openCommands(events.send);
    return events;
  },
  lookMs: 5_000,
});
