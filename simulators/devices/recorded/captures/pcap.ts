/** pcap: a header, then records of one link type (ietf.org/archive/id/draft-ietf-opsawg-pcap). */
import * as E from 'fp-ts/lib/Either.js';
import { LONGEST_RECORD } from '../../../../src/bytes/btsnoop.js';
import { orderOf, u32, type Datalink, type Opening } from './format.js';
import { datalinkOf, refusedLink } from './link-types.js';

/** The magic of each resolution of time, with its units per millisecond. */
const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;

const FILE_HEADER = 24;
const RECORD_HEADER = 16;

/** The lower half of the link type; the upper half is about checksums. */
const LINK_TYPE = 0xffff;

export const pcap: Opening = (file) => {
  const order = orderOf(file, 0, [MICROSECONDS, NANOSECONDS]);
  if (order === undefined) return undefined;
  const perMillisecond = u32(file, 0, order) === MICROSECONDS ? 1e3 : 1e6;
  let datalink: Datalink | undefined;
  return {
    next: (bytes) => {
      if (datalink === undefined) {
        if (bytes.length < FILE_HEADER) return E.right(undefined);
        const type = u32(bytes, 20, order) & LINK_TYPE;
        datalink = datalinkOf(type);
        return datalink === undefined
          ? E.left({ refused: refusedLink('pcap', type) })
          : E.right({ length: FILE_HEADER });
      }
      if (bytes.length < RECORD_HEADER) return E.right(undefined);
      const [kept, original] = [u32(bytes, 8, order), u32(bytes, 12, order)];
      if (kept > LONGEST_RECORD) return E.left({ damaged: `cannot be of ${kept} bytes` });
      const length = RECORD_HEADER + kept;
      if (bytes.length < length) return E.right({ length });
      const at = u32(bytes, 0, order) * 1000 + u32(bytes, 4, order) / perMillisecond;
      const data = bytes.subarray(RECORD_HEADER, length);
      return E.right({ length, datalink, packet: { flags: 0, whole: kept >= original, at, data } });
    },
  };
};
