/** The actions of people on clocks: requests to the server, with the failure of each. */
import { detached } from '../../async/defects.js';
import { MAX_PIECE, type Alarm, type SettingsChange } from '../../clock/contract.js';
import { after, type Failure, type Outcome } from '../common/api.js';
import { openSearch, ROUND_SECS } from '../common/search.js';
import { run, server, unfollow } from './server.js';
import { addresses, change, changeRecord, putAlarm, refused, remove } from './state.js';
import type { Tone } from './tone.js';

export const search = openSearch({
  listen: () => run('scan', { duration_secs: ROUND_SECS }),
  connected: () => addresses.value,
});

/**
 * Marks a clock that is bound to another token as `refused`; the page then explains more than the failure does. `signal` ends
 * the attempt, and with it a session of the clock.
 */
export const connect = async (address: string, signal: AbortSignal): Outcome => {
  const giveUp = (): void => detached(run('disconnect', { address }));
  signal.addEventListener('abort', giveUp);
  const failure = await after(run('connect', { address }));
  signal.removeEventListener('abort', giveUp);
  const isRefused = failure?.code === 'auth_failed';
  const otherAddresses = [...refused.value].filter((other) => other !== address);
  refused.value = new Set(isRefused ? [...otherAddresses, address] : otherAddresses);
  if (failure === null) await server.refresh();
  return isRefused ? null : failure;
};

export const disconnect = async (address: string): Outcome => {
  const failure = await after(run('disconnect', { address }));
  if (failure !== null && failure.code !== 'not_connected') return failure;
  await unfollow(address);
  remove(address);
  return null;
};

export const setLabel = (address: string, label: string | null): Outcome =>
  after(run('set_label', { address, label }), (set) => changeRecord(address, { label: set.label }));

export const keepConnected = (address: string, keep_connected: boolean): Outcome =>
  after(run('keep_connected', { address, keep_connected }), (set) =>
    changeRecord(address, { keep_connected: set.keep_connected }),
  );

export const forget = (address: string): Outcome =>
  after(run('forget', { address }), () => {
    change(address, { points: [] });
    detached(server.refresh());
    // The time zone was in the record.
    detached(after(run('read_settings', { address }), (settings) => change(address, { settings })));
  });

export const syncTime = (address: string): Outcome => after(run('sync_time', { address }));

export const setAlarm = (address: string, alarm: Alarm): Outcome =>
  after(run('set_alarm', { address, ...alarm }), (set) => putAlarm(address, set.slot, [set]));

export const deleteAlarm = (address: string, slot: number): Outcome =>
  after(run('delete_alarm', { address, slot }), () => putAlarm(address, slot, []));

export const writeSettings = (address: string, settings: SettingsChange): Outcome =>
  after(run('write_settings', { address, settings }), (written) => change(address, { settings: written }));

export const setBrightness = (address: string, value: number): Outcome =>
  after(run('set_brightness', { address, value }));

export const playTone = (address: string): Outcome => after(run('preview_ringtone', { address }));

/** Sends the tone piece by piece, each after the server has accepted the previous piece. */
export const uploadTone = async (address: string, { format, bytes }: Tone): Outcome => {
  change(address, { progress: 0 });
  let failure: Failure | null = null;
  for (let offset = 0; offset < bytes.length && failure === null; offset += MAX_PIECE) {
    const data = bytes.slice(offset, offset + MAX_PIECE);
    const last = offset + data.length === bytes.length;
    failure = await after(run('upload_ringtone', { address, offset, data, last, format }));
  }
  change(address, { progress: null });
  return failure;
};
