import { hexNumber, layout, type Layout, shortBytes, u16, u8 } from '../../src/bytes/index.js';
import { AttOpcode, uuidText } from '../../src/ble/hci/att.js';
import { entriesOf } from '../../src/ble/hci/discovery.js';
import type { Exchange } from './links.js';
import { attNames, attributeLine, attributeText, uuidName } from './names.js';
import type { Part, Words } from './packet.js';
import { line, numberOf, partsOf, valueText, valuesOf } from './parts.js';

/** The fields before a value or a list (Core 5.4 Vol 3 Part F 3.4). */
const layouts: Readonly<Partial<Record<keyof typeof AttOpcode, Layout<unknown>>>> = {
  errorResponse: layout({ request: u8, handle: u16, error: u8 }),
  exchangeMtuRequest: layout({ mtu: u16 }),
  exchangeMtuResponse: layout({ mtu: u16 }),
  findInformationRequest: layout({ startingHandle: u16, endingHandle: u16 }),
  findInformationResponse: layout({ format: u8 }),
  findByTypeValueRequest: layout({ startingHandle: u16, endingHandle: u16, type: u16 }),
  readByTypeRequest: layout({ startingHandle: u16, endingHandle: u16 }),
  readByTypeResponse: layout({ length: u8 }),
  readRequest: layout({ handle: u16 }),
  readBlobRequest: layout({ handle: u16, offset: u16 }),
  readByGroupTypeRequest: layout({ startingHandle: u16, endingHandle: u16 }),
  readByGroupTypeResponse: layout({ length: u8 }),
  writeRequest: layout({ handle: u16 }),
  prepareWriteRequest: layout({ handle: u16, offset: u16 }),
  prepareWriteResponse: layout({ handle: u16, offset: u16 }),
  executeWriteRequest: layout({ flags: u8 }),
  handleValueNotification: layout({ handle: u16 }),
  handleValueIndication: layout({ handle: u16 }),
  writeCommand: layout({ handle: u16 }),
  signedWriteCommand: layout({ handle: u16 }),
};

const byOpcode = new Map(
  Object.entries(AttOpcode).map(([key, opcode]) => [
    opcode as number,
    new Map(Object.entries(layouts)).get(key),
  ]),
);

/** Requests that search for attributes of a type, which follows the handles. */
const searches: readonly number[] = [AttOpcode.readByTypeRequest, AttOpcode.readByGroupTypeRequest];
/** Responses that list attributes, all entries of the same length. */
const listings: readonly number[] = [AttOpcode.readByTypeResponse, AttOpcode.readByGroupTypeResponse];
/** Responses that do not name their attribute. */
const unnamed: readonly number[] = [
  AttOpcode.readResponse,
  AttOpcode.readBlobResponse,
  AttOpcode.writeResponse,
];

/** An ATT PDU in words. @throws ShortPacket if the PDU is cut short. */
export const describeAtt = ({ pdu, request, attributes }: Exchange): Words => {
  const opcode = u8.read(pdu, 0);
  const body = pdu.subarray(1);
  const values = valuesOf(byOpcode.get(opcode), body, 'value');
  const handleText = (handle: number | undefined): string =>
    handle === undefined ? '' : `handle ${attributeLine(handle, attributes)}`;
  const subject =
    unnamed.includes(opcode) && request !== undefined && request.length >= 3
      ? u16.read(request, 1)
      : undefined;
  const fields = values.map(([key, value]): string => {
    if (key === 'handle' && typeof value === 'number') return handleText(value);
    if (key === 'startingHandle') return `handles ${valueText(key, value)}`;
    if (key === 'endingHandle') return `to ${valueText(key, value)}`;
    if (key === 'length' || key === 'format') return '';
    if (key === 'request' || key === 'error') return valueText(key, value);
    if (key === 'mtu') return `MTU ${valueText(key, value)}`;
    if (key === 'type' && typeof value === 'number') return uuidName(hexNumber(value, 4).slice(2));
    if (!Buffer.isBuffer(value)) return `${key} ${valueText(key, value)}`;
    if (searches.includes(opcode)) return uuidName(uuidText(value));
    return listings.includes(opcode) ? `${entriesOf(pdu).length} found` : shortBytes(value);
  });
  const name = attNames.get(opcode) ?? `ATT PDU ${hexNumber(opcode)}`;
  const handle = numberOf(values, 'handle') ?? subject;
  const attribute: readonly Part[] =
    handle === undefined ? [] : [{ name: 'Attribute', value: attributeText(handle, attributes) }];
  return {
    protocol: 'att',
    summary: line(name, handleText(subject), ...fields).replace(/, to /, ' to '),
    parts: [
      { name: 'Opcode', value: hexNumber(opcode) },
      ...attribute,
      ...partsOf(values.filter(([key]) => key !== 'handle')),
    ],
  };
};
