/** Packets of the channels for signalling and security. */
import { SignalCode } from '../../src/ble/hci/l2cap-signaling.js';
import { hexNumber, layout, shortBytes, u16, u8, type Layout } from '../../src/bytes/index.js';
import { Channel } from '../../src/ble/hci/packets.js';
import type { L2capPacket } from '../ble/l2cap.js';
import { signalNames, smpNames, titleOf } from './names.js';
import type { Words } from './packet.js';
import { line, partsOf, valueText, valuesOf, type Values } from './parts.js';

const signals: ReadonlyMap<number, Layout<unknown>> = new Map<number, Layout<unknown>>([
  [SignalCode.commandReject, layout({ reason: u16 })],
  [
    SignalCode.connectionParameterUpdateRequest,
    layout({ intervalMin: u16, intervalMax: u16, latency: u16, timeout: u16 }),
  ],
  [SignalCode.connectionParameterUpdateResponse, layout({ result: u16 })],
]);

const SIGNAL_HEADER = 4;

const fieldTexts = (values: Values): readonly string[] =>
  values.map(([key, value]) =>
    Buffer.isBuffer(value) ? shortBytes(value) : `${titleOf(key).toLowerCase()} ${valueText('', value)}`,
  );

/** An L2CAP packet in words. @throws ShortPacket if the packet is cut short. */
export const describeL2cap = ({ channel, payload }: L2capPacket): Words => {
  if (channel === Channel.signalling) {
    const code = u8.read(payload, 0);
    const values = valuesOf(signals.get(code), payload.subarray(SIGNAL_HEADER));
    return {
      protocol: 'l2cap',
      summary: line(signalNames.get(code) ?? `L2CAP signal ${hexNumber(code)}`, ...fieldTexts(values)),
      parts: [{ name: 'Identifier', value: String(u8.read(payload, 1)) }, ...partsOf(values)],
    };
  }
  if (channel === Channel.security) {
    const code = u8.read(payload, 0);
    const values: Values = [['value', payload.subarray(1)]];
    return {
      protocol: 'smp',
      summary: line(smpNames.get(code) ?? `SMP command ${hexNumber(code)}`, ...fieldTexts(values)),
      parts: partsOf(values),
    };
  }
  return {
    protocol: 'l2cap',
    summary: line(`L2CAP channel ${hexNumber(channel, 4)}`, shortBytes(payload)),
    parts: [],
  };
};
