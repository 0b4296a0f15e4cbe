/** What a recorded device advertised, made fit for legacy advertising. */
import {
  MAX_ADVERTISING_DATA,
  decodeAdvertisingData,
  encodeAdvertisingData,
  type AdStructure,
} from '../../src/ble/hci/advertising-data.js';
import type { Report } from './reports.js';

/** What is on the air at one time, AD structures of at most 31 bytes each. */
export interface Payload {
  readonly advertisement: Buffer;
  readonly scanResponse: Buffer;
}

export interface RecordedAdvertising {
  /** Each with the milliseconds until the next; played in turn, again and again. */
  readonly payloads: readonly (Payload & { readonly lasts: number })[];
  /** Whether any of it was in the capture. */
  readonly heard: boolean;
  /** AD structures of extended advertising that fit neither packet. */
  readonly dropped: number;
}

/** How long the last advertisement of a recording is on the air before the first one follows, milliseconds. */
const LAST_MS = 1000;

interface Whole {
  readonly response: boolean;
  readonly data: Buffer;
  readonly at: number;
}

/** Puts extended data that came in several reports together. */
const joined = (reports: readonly Report[]): readonly Whole[] => {
  const whole: Whole[] = [];
  let pending: Buffer[] = [];
  for (const { more, data, response, at } of reports) {
    pending.push(data);
    if (more) continue;
    whole.push({ response, at, data: Buffer.concat(pending) });
    pending = [];
  }
  return whole;
};

const fits = (structures: readonly AdStructure[], next: AdStructure): boolean =>
  [...structures, next].reduce((sum, { value }) => sum + value.length + 2, 0) <= MAX_ADVERTISING_DATA;

/** Both packets as they are if they fit; else as many AD structures as do, in their order. */
const fitted = (advertisement: Buffer, scanResponse: Buffer): Payload & { readonly dropped: number } => {
  const isShort = ({ length }: Buffer): boolean => length <= MAX_ADVERTISING_DATA;
  if (isShort(advertisement) && isShort(scanResponse)) return { advertisement, scanResponse, dropped: 0 };
  const first: AdStructure[] = [];
  const second: AdStructure[] = [];
  let dropped = 0;
  for (const structure of [advertisement, scanResponse].flatMap(decodeAdvertisingData)) {
    if (fits(first, structure)) first.push(structure);
    else if (fits(second, structure)) second.push(structure);
    else dropped += 1;
  }
  return {
    advertisement: encodeAdvertisingData(first),
    scanResponse: encodeAdvertisingData(second),
    dropped,
  };
};

/** Takes the changes of what a device advertised, with the time from one to the next; the last scan response goes with all. */
export const advertisingOf = (reports: readonly Report[]): RecordedAdvertising => {
  const whole = joined(reports);
  const response = whole.findLast((report) => report.response)?.data ?? Buffer.alloc(0);
  const heard = whole.filter((report) => !report.response);
  const changes = heard.filter(({ data }, index) => heard[index - 1]?.data.equals(data) !== true);
  const said = changes.length > 0 ? changes : [{ data: Buffer.alloc(0), at: 0 }];
  const payloads = said.map(({ data, at }, index) => ({
    ...fitted(data, response),
    lasts: Math.max(0, (said[index + 1]?.at ?? at + LAST_MS) - at),
  }));
  return {
    payloads: payloads.map(({ dropped: _dropped, ...payload }) => payload),
    heard: whole.length > 0,
    dropped: Math.max(...payloads.map(({ dropped }) => dropped)),
  };
};
