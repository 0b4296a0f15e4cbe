/** The packets that the page has read from the trace, and the filters of its list. */
import { batch, computed, signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../src/async/defects.js';
import type { Packet } from '../control/contract.js';
import { call } from '../../src/page/common/api.js';
import { connection } from '../../src/page/common/server.js';
import { rows } from './state.js';
import { texts } from './texts.js';

const MOST_KEPT = 2_000;
const POLL_MS = 500;

export const HOSTS = 'hosts';
/** The filters; an empty filter passes all packets. */
export const filter = signal({ text: '', protocol: '', controller: HOSTS, device: '' });

export const packets = signal<readonly Packet[]>([]);
/** The number of packets that the server dropped before the page read them. */
export const dropped = signal(0);
export const chosenPacket = signal<Packet | null>(null);

/** The number of the last packet; undefined before the first read, which gets the newest packets. */
let since: number | undefined;

/** The controllers in the capture: first the controllers of hosts, which have names, then the devices. */
export const controllers = computed(() => {
  const all = [...new Set(packets.value.flatMap(({ adapter }) => adapter ?? []))].sort();
  return [...all.filter((name) => !isAddress(name)), ...all.filter(isAddress)];
});

const isAddress = (name: string): boolean => name.includes(':');

/** The device of a packet: that which saw it, or the other side of the host that saw it. */
export const deviceIn = ({ adapter, peer }: Packet): string | null =>
  adapter !== null && isAddress(adapter) ? adapter : peer;

const HANDLE_DIGITS = 4;

/** The controller that saw a packet, and the handle of the link that carried it. */
export const linkIn = ({ adapter, handle }: Packet): string =>
  [
    adapter !== null && isAddress(adapter) ? texts.ofDevice : adapter,
    handle === null ? null : `0x${handle.toString(16).toUpperCase().padStart(HANDLE_DIGITS, '0')}`,
  ]
    .filter((part) => part !== null)
    .join(' ');

export const shownPackets = computed(() => {
  const { text, protocol, controller, device } = filter.value;
  const searched = text.trim().toLowerCase();
  const bytes = searched.replaceAll(' ', '');
  return packets.value.filter((packet) => {
    const { adapter, summary, hex } = packet;
    if (protocol !== '' && packet.protocol !== protocol) return false;
    if (controller === HOSTS ? isAddress(adapter ?? '') : controller !== '' && adapter !== controller)
      return false;
    if (device !== '' && deviceIn(packet) !== device) return false;
    return searched === '' || summary.toLowerCase().includes(searched) || hex.toLowerCase().includes(bytes);
  });
});

export const clear = (): void =>
  batch(() => {
    packets.value = [];
    dropped.value = 0;
    chosenPacket.value = null;
  });

/** Reads new packets; resolves to whether more are waiting. */
const readMore = async (): Promise<boolean> => {
  const answer = await call(rows.packets, { query: since === undefined ? {} : { since } });
  if (E.isLeft(answer)) return false;
  const { packets: added, newest, dropped: lost } = answer.right;
  if (since !== undefined && newest < since) {
    // The simulation has started again.
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
