import { leEventOf } from './event-packets.js';

/** How much one packet on a link carries: octets, and microseconds on the air. */
export interface DataLength {
  readonly octets: number;
  readonly time: number;
}

/** The length at the beginning of every link, and the maximum of virtual controllers (Core 5.4 Vol 6 Part B 4.5.10). */
export const initialDataLength: DataLength = { octets: 27, time: 328 };
export const MAX_DATA_LENGTH: DataLength = { octets: 251, time: 17_040 };
/** 251 octets on 1M; only the Coded PHY takes longer. */
const MAX_UNCODED_TIME = 2120;
const CODED = 3;

/** The parts of a link's end that concern the data length. */
export interface DataLengthEnd {
  readonly handle: number;
  readonly controller: { readonly host: { send(event: Buffer): void } };
  readonly txPhy: number;
  /** The maximum that its host requested. */
  readonly requestedDataLength: DataLength;
  /** The length in effect. */
  dataLength: DataLength;
}

/** The length that a side sends. The other side receives any length. */
const effective = ({ requestedDataLength: { octets, time }, txPhy }: DataLengthEnd): DataLength => ({
  octets,
  time: txPhy === CODED ? time : Math.min(time, MAX_UNCODED_TIME),
});

const same = (a: DataLength, b: DataLength): boolean => a.octets === b.octets && a.time === b.time;

/** The Data Length Update procedure: both hosts get Data Length Change if something has changed. */
export const updateDataLength = (central: DataLengthEnd, peripheral: DataLengthEnd): void => {
  const before = [central.dataLength, peripheral.dataLength] as const;
  central.dataLength = effective(central);
  peripheral.dataLength = effective(peripheral);
  if (same(central.dataLength, before[0]) && same(peripheral.dataLength, before[1])) return;
  report(central, peripheral.dataLength);
  report(peripheral, central.dataLength);
};

const report = ({ controller, handle, dataLength: tx }: DataLengthEnd, rx: DataLength): void => {
  const fields = {
    handle,
    maxTxOctets: tx.octets,
    maxTxTime: tx.time,
    maxRxOctets: rx.octets,
    maxRxTime: rx.time,
  };
  controller.host.send(leEventOf('dataLengthChange', fields));
};
