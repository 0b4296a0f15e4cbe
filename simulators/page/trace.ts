/** The packets that were read of the trace, and which of them are shown. */
import { batch, computed, signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../src/async/defects.js';
import type { Packet } from '../control/contract.js';
import { call } from '../../src/page/common/api.js';
import { connection } from '../../src/page/common/server.js';
import { rows } from './state.js';

const MOST_KEPT = 2_000;
const POLL_MS = 500;

/** Filters: an empty one lets all pass. */
export const HOSTS = 'hosts';
export const filter = signal({ text: '', protocol: '', controller: HOSTS, device: '' });

export const packets = signal<readonly Packet[]>([]);
/** How many the server could not keep until they were read. */
export const dropped = signal(0);
export const chosenPacket = signal<Packet | null>(null);

/** Undefined: the newest are asked for. */
let since: number | undefined;

/** The controllers in the capture; the hosts' come first, since they have names. */
export const controllers = computed(() => {
  const all = [...new Set(packets.value.flatMap(({ adapter }) => adapter ?? []))].sort();
  return [...all.filter((one) => !isAddress(one)), ...all.filter(isAddress)];
});

const isAddress = (name: string): boolean => name.includes(':');

const isOf = ({ adapter, peer }: Packet, device: string): boolean => adapter === device || peer === device;

export const shownPackets = computed(() => {
  const { text, protocol, controller, device } = filter.value;
  const searched = text.trim().toLowerCase();
  const bytes = searched.replaceAll(' ', '');
  return packets.value.filter((packet) => {
    const { adapter, summary, hex } = packet;
    if (protocol !== '' && packet.protocol !== protocol) return false;
    if (controller === HOSTS ? isAddress(adapter ?? '') : controller !== '' && adapter !== controller)
      return false;
    if (device !== '' && !isOf(packet, device)) return false;
    return searched === '' || summary.toLowerCase().includes(searched) || hex.toLowerCase().includes(bytes);
  });
});

export const clear = (): void =>
  batch(() => {
    packets.value = [];
    dropped.value = 0;
    chosenPacket.value = null;
  });

/** Reads new packets. True if more are waiting. */
const readMore = async (): Promise<boolean> => {
  const answer = await call(rows.packets, { query: since === undefined ? {} : { since } });
  if (E.isLeft(answer)) return false;
  const { packets: added, newest, dropped: lost } = answer.right;
  if (since !== undefined && newest < since) {
    // Another world has begun.
    since = undefined;
    clear();
    return true;
  }
  const last = added.at(-1)?.number ?? newest;
  since = last;
  batch(() => {
    if (added.length > 0) packets.value = [...packets.value, ...added].slice(-MOST_KEPT);
    dropped.value += lost;
  });
  return last < newest;
};

/** Reads new packets until the returned function is called. */
export const follow = (): (() => void) => {
  let timer = 0;
  let isOver = false;
  const next = async (): Promise<void> => {
    const isSeen = document.visibilityState === 'visible' && connection.value === 'open';
    const isMore = isSeen && (await readMore());
    if (!isOver) timer = window.setTimeout(() => detached(next()), isMore ? 0 : POLL_MS);
  };
  detached(next());
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};
