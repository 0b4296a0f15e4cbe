/** btsnoop: of Android, btmon, hcidump and `--trace` of airbench. */
import * as E from 'fp-ts/lib/Either.js';
import { FILE_HEADER, LONGEST_RECORD, RECORD_HEADER, recordAt } from '../../../../src/bytes/btsnoop.js';
import { DATALINK_MONITOR } from '../../../radio/medium/monitor.js';
import { type Datalink, type Opening } from './format.js';
import { h4, monitor, unencapsulated } from './link-types.js';

const MAGIC = 'btsnoop\0';
const VERSION = 1;

const datalinks: Readonly<Record<number, Datalink>> = {
  1001: unencapsulated,
  1002: h4,
  [DATALINK_MONITOR]: monitor,
};

const readHeader = (file: Buffer): E.Either<string, Datalink> => {
  const version = file.readUInt32BE(8);
  if (version !== VERSION) return E.left(`its btsnoop version must be ${VERSION}, got ${version}`);
  const link = file.readUInt32BE(12);
  const datalink = datalinks[link];
  return datalink === undefined
    ? E.left(`its datalink must be 1001 (HCI), 1002 (H4) or ${DATALINK_MONITOR} (Linux monitor), got ${link}`)
    : E.right(datalink);
};

export const btsnoop: Opening = (file) => {
  if (file.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  let datalink: Datalink | undefined;
  return {
    next: (bytes) => {
      if (datalink === undefined) {
        if (bytes.length < FILE_HEADER) return E.right(undefined);
        const header = readHeader(bytes);
        if (E.isLeft(header)) return E.left({ refused: header.left });
        datalink = header.right;
        return E.right({ length: FILE_HEADER });
      }
      if (bytes.length < RECORD_HEADER) return E.right(undefined);
      const length = bytes.readUInt32BE(4);
      if (length > LONGEST_RECORD) return E.left({ damaged: `cannot be of ${length} bytes` });
      const packet = recordAt(bytes, 0);
      return E.right(
        packet === undefined
          ? { length: RECORD_HEADER + length }
          : { length: packet.bytes.length, packet, datalink },
      );
    },
  };
};
