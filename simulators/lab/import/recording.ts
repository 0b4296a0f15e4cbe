/** The description of a recorded device, for editing: its attributes, values, notifications and answers. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { GenericUuid, Property, Uuid, uuidText } from '../../../src/ble/hci/att.js';
import { isService, type Attribute } from '../../ble/attributes.js';
import type { Piece, ReadResult, UnsolicitedPdu } from '../../devices/recorded/pieces.js';
import type { Recording } from '../../devices/recorded/recording.js';
import { append, firstIndex } from '../../devices/recorded/sorted.js';
import { propertiesIn } from '../../devices/described/description/services.js';
import { advertisingFields } from './advertising-fields.js';
import { distinctIds, valueField, type Imported } from './imported.js';

/** The limits of notifications in a description, for a characteristic and for an answer. */
const MAX_VALUES = 100;
const MAX_ANSWERS = 20;

const hex = (bytes: Buffer): string => bytes.toString('hex');

const advertisingOf = ({ advertising, name }: Recording): JsonRecord => {
  const [first] = advertising.payloads;
  return first === undefined
    ? { flags: null, name: false }
    : advertisingFields(first.advertisement, first.scanResponse, name);
};

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

type Sent = UnsolicitedPdu & { readonly kind: 'value' };

/** Values and answers of single attributes in the captured links, by handle. */
class Observed {
  /** The first value and the first error of reads. */
  private readonly values = new Map<number, Buffer>();
  private readonly errors = new Map<number, number>();
  /** The pieces with notifications, each with these. */
  private readonly notifying = new Map<number, { readonly piece: Piece; readonly sent: Sent[] }[]>();
  private readonly written = new Map<number, Piece[]>();

  constructor({ links }: Recording) {
    for (const piece of links.flatMap(({ pieces }) => pieces)) {
      const { write, reads, unsolicited } = piece;
      if (write !== undefined) append(this.written, write.handle, piece);
      for (const [handle, results] of reads) for (const result of results) this.read(handle, result);
      for (const pdu of unsolicited) if (pdu.kind === 'value') this.notification(piece, pdu);
    }
  }

  private read(handle: number, result: ReadResult): void {
    if (result.kind === 'refused') this.errors.set(handle, this.errors.get(handle) ?? result.error);
    else this.values.set(handle, this.values.get(handle) ?? result.value);
  }

  private notification(piece: Piece, pdu: Sent): void {
    const last = this.notifying.get(pdu.handle)?.at(-1);
    if (last?.piece === piece) last.sent.push(pdu);
    else append(this.notifying, pdu.handle, { piece, sent: [pdu] });
  }

  value(handle: number): Buffer | undefined {
    return this.values.get(handle);
  }

  readError(handle: number): number | undefined {
    return this.errors.get(handle);
  }

  /** Notifications after a subscription or without a cause; undefined if there were no notifications. */
  notified(handle: number, configuration: number | undefined): JsonRecord | undefined {
    const pieces = (this.notifying.get(handle) ?? []).filter(
      ({ piece: { write } }) => write === undefined || write.handle === configuration,
    );
    const values = pieces.flatMap(({ sent }) => sent).slice(0, MAX_VALUES);
    if (values.length === 0) return undefined;
    const gaps = pieces.flatMap(({ sent }) =>
      sent.map(({ after }, at) => after - (sent[at - 1]?.after ?? 0)),
    );
    return {
      every_ms: Math.min(3_600_000, Math.max(1, Math.round(median(gaps)))),
      values: values.map(({ value }) => hex(value)),
    };
  }

  answers(handle: number, idOf: (handle: number) => string | undefined): JsonRecord[] {
    const answers = new Map<string, JsonRecord>();
    for (const { write, refused, unsolicited } of this.written.get(handle) ?? []) {
      if (write === undefined || answers.has(hex(write.value))) continue;
      const notify = unsolicited.slice(0, MAX_ANSWERS).flatMap((one): JsonRecord[] => {
        const characteristic = one.kind === 'value' ? idOf(one.handle) : undefined;
        return one.kind !== 'value' || characteristic === undefined
          ? []
          : [{ characteristic, value: hex(one.value), after_ms: Math.round(Math.min(one.after, 3_600_000)) }];
      });
      if (refused !== 0) answers.set(hex(write.value), { error: refused });
      else if (notify.length > 0) answers.set(hex(write.value), { notify });
    }
    // The longest prefix first: the first matching prefix answers.
    return [...answers]
      .sort(([a], [b]) => b.length - a.length)
      .map(([prefix, answer]) => ({ prefix, ...answer }));
  }
}

interface Characteristic {
  readonly declaration: Attribute;
  readonly value: Attribute;
  readonly descriptors: readonly Attribute[];
}

const characteristicsOf = (attributes: readonly Attribute[]): readonly Characteristic[] =>
  attributes.flatMap((declaration, at) => {
    const value = attributes[at + 1];
    if (declaration.type !== Uuid.characteristic || value === undefined) return [];
    let end = at + 2;
    while (end < attributes.length && attributes[end]?.type !== Uuid.characteristic) end += 1;
    return [{ declaration, value, descriptors: attributes.slice(at + 2, end) }];
  });

const idsOf = (attributes: readonly Attribute[]): ReadonlyMap<number, string> => {
  const values = characteristicsOf(attributes).map(({ value }) => value);
  const ids = distinctIds(values.map(({ type }) => type));
  return new Map(values.map(({ handle, type }, at) => [handle, ids[at] ?? type]));
};

/** The device in the format of `POST /devices`. */
export const describeRecording = (recording: Recording): Imported['device'] => {
  const observed = new Observed(recording);
  const attributes = [...(recording.links.at(-1)?.table.values() ?? [])];
  const ids = idsOf(attributes);
  const characteristic = ({ declaration, value, descriptors }: Characteristic): JsonRecord => {
    const { handle, type } = value;
    const bits = value.properties ?? declaration.fixed?.readUInt8(0) ?? 0;
    const uuid = type;
    const id = ids.get(handle);
    const configuration = descriptors.find((descriptor) => descriptor.type === Uuid.configuration)?.handle;
    const read = observed.value(handle);
    const error = read === undefined && (bits & Property.read) !== 0 ? observed.readError(handle) : undefined;
    const notify =
      (bits & (Property.notify | Property.indicate)) === 0
        ? undefined
        : observed.notified(handle, configuration);
    const canWrite = (bits & (Property.write | Property.writeWithoutResponse)) !== 0;
    const answers = canWrite ? observed.answers(handle, (target) => ids.get(target)) : [];
    const described = descriptors.flatMap((one): JsonRecord[] =>
      one.type === Uuid.configuration
        ? []
        : [{ uuid: one.type, value: valueField(observed.value(one.handle) ?? Buffer.alloc(0)) }],
    );
    return {
      uuid,
      ...(id !== uuid && id !== undefined && { id }),
      properties: [...propertiesIn(bits)],
      ...(read !== undefined && { value: valueField(read) }),
      ...(error !== undefined && { on_read: { error } }),
      ...(notify !== undefined && { notify }),
      ...(answers.length > 0 && { on_write: answers }),
      ...(described.length > 0 && { descriptors: described }),
    };
  };
  const behind = (last: number): number => firstIndex(attributes, ({ handle }) => handle > last);
  const services = attributes.filter(isService).map((service, index, all) => ({
    uuid: uuidText(service.fixed ?? Buffer.alloc(2)),
    ...(service.type === Uuid.secondaryService && { secondary: true }),
    characteristics: characteristicsOf(
      attributes.slice(
        behind(service.handle),
        behind(Math.min(service.end, (all[index + 1]?.handle ?? Infinity) - 1)),
      ),
    ).map(characteristic),
  }));
  const { address, addressType, name, mtu } = recording;
  return {
    ...{ kind: 'gatt', name, address, address_type: addressType, mtu: Math.min(517, mtu) },
    advertising: advertisingOf(recording),
    services: services.filter(({ uuid }) => uuid !== GenericUuid.attribute),
  };
};
