import { leEventOf } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { broken, hex, type Handlers, type Rule } from './command-handlers.js';
import { unknownLink } from './command-rules.js';
import type { Controller } from './controller.js';
import type { Link, LinkEnd } from './link.js';

/** How much one packet on a link carries: octets, and microseconds on the air. */
export interface DataLength {
  readonly octets: number;
  readonly time: number;
}

/** What every link begins with, and the most that ours can (Core 5.4 Vol 6 Part B 4.5.10). */
export const usualDataLength: DataLength = { octets: 27, time: 328 };
const MAX: DataLength = { octets: 251, time: 17_040 };
/** 251 octets on 1M; only the Coded PHY takes longer. */
const MAX_UNCODED_TIME = 2120;
const CODED = 3;

const rules = (octets: number, time: number): readonly Rule[] => [
  [
    octets >= usualDataLength.octets && octets <= MAX.octets,
    Status.invalidParameters,
    `TX_Octets must be 0x001B to 0x00FB, got ${hex(octets, 4)}`,
  ],
  [
    time >= usualDataLength.time && time <= MAX.time,
    Status.invalidParameters,
    `TX_Time must be 0x0148 to 0x4290, got ${hex(time, 4)}`,
  ],
];

/** What a side sends in fact. The other receives all that there is. */
const inForce = ({ wanted, txPhy }: LinkEnd): DataLength => ({
  octets: wanted.octets,
  time: txPhy === CODED ? wanted.time : Math.min(wanted.time, MAX_UNCODED_TIME),
});

const same = (a: DataLength, b: DataLength): boolean => a.octets === b.octets && a.time === b.time;

/** Tells both hosts what is in force now, if that is news. */
export const dataLengthChanged = (link: Link): void => {
  const ends = [link.central, link.peripheral];
  const before = ends.map(({ dataLength }) => dataLength);
  for (const end of ends) end.dataLength = inForce(end);
  if (ends.every((end, at) => same(end.dataLength, before[at] ?? usualDataLength))) return;
  for (const {
    controller,
    handle,
    dataLength: tx,
    link: { central, peripheral },
    role,
  } of ends) {
    const rx = (role === 'central' ? peripheral : central).dataLength;
    const fields = {
      handle,
      maxTxOctets: tx.octets,
      maxTxTime: tx.time,
      maxRxOctets: rx.octets,
      maxRxTime: rx.time,
    };
    controller.toHost(leEventOf('dataLengthChange', fields));
  }
};

/** Data length of links (Core 5.4 Vol 4 Part E 7.8.33 to 7.8.35 and 7.8.46). */
export const dataLengthCommands = (controller: Controller) =>
  ({
    leSetDataLength: ({ handle, txOctets: octets, txTime: time }) => {
      const end = controller.links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const refusal = broken(...rules(octets, time));
      if (refusal !== undefined) return refusal;
      end.link.inquire(end, () => {
        end.wanted = { octets, time };
        dataLengthChanged(end.link);
      });
      return { handle };
    },
    leReadSuggestedDefaultDataLength: () => {
      const { octets: txOctets, time: txTime } = controller.settings.suggestedDataLength;
      return { txOctets, txTime };
    },
    leWriteSuggestedDefaultDataLength: ({ txOctets: octets, txTime: time }) => {
      const refusal = broken(...rules(octets, time));
      if (refusal !== undefined) return refusal;
      controller.settings.suggestedDataLength = { octets, time };
      return Status.success;
    },
    leReadMaximumDataLength: () => ({
      maxTxOctets: MAX.octets,
      maxTxTime: MAX.time,
      maxRxOctets: MAX.octets,
      maxRxTime: MAX.time,
    }),
  }) satisfies Partial<Handlers>;
