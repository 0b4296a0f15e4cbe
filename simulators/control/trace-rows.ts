/** The rows of the HCI capture, and of the violations found in it. */
import * as codecs from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { DIRECTIONS, PROTOCOLS } from '../packets/packet.js';
import { count } from './device-rows.js';

const { about } = codecs;

const Tokens = about(
  'The tokens of clocks; default `masked`: zeros in their place',
  codecs.oneOf(['masked', 'shown']),
);

const trace = endpoint({
  method: 'GET',
  path: '/trace',
  subject: 'Capture',
  summary:
    'The latest of the HCI capture of all controllers, btsnoop; with zeros in the place of tokens of clocks',
  query: { tokens: Tokens },
  response: codecs.bytes('application/octet-stream'),
  fails: ['no_trace'],
});

const MAX_PACKETS = 1_000;
export const USUAL_PACKETS = 500;

export const Packet = codecs.named(
  'Packet',
  'A packet of the capture in the words of the Core specification; `handle` and `peer` are of the connection',
  codecs.object({
    number: count('The number of its record in the whole trace, from 1'),
    time: about('ISO 8601, UTC, microseconds', codecs.text),
    adapter: about(
      'The id of a host or the address of a device; null in a note about the whole air',
      codecs.nullable(codecs.text),
    ),
    direction: about('Null in a note', codecs.nullable(codecs.oneOf(DIRECTIONS))),
    protocol: about('`acl`: a fragment; `note`: no packet', codecs.oneOf(PROTOCOLS)),
    summary: about('A line for people', codecs.text),
    handle: about('Connection handle; null outside a connection', codecs.nullable(codecs.anyInteger)),
    peer: about('The address of the other side; null where it is not known', codecs.nullable(codecs.text)),
    hex: about('The packet, its H4 type first', codecs.text),
    parts: codecs.array(
      codecs.object({
        name: about('The name of the field', codecs.text),
        value: about('The value as text', codecs.text),
      }),
      'an array of fields',
    ),
  }),
);

const packets = endpoint({
  method: 'GET',
  path: '/trace/packets',
  subject: 'Capture',
  summary: 'The packets of the capture after the number `since`, or the newest',
  query: {
    since: about(
      'Only packets after this number; the newest unless given',
      codecs.integerInText(0, Number.MAX_SAFE_INTEGER),
    ),
    limit: about(`At most so many; ${USUAL_PACKETS} unless given`, codecs.integerInText(1, MAX_PACKETS)),
    tokens: Tokens,
  },
  response: codecs.named(
    'Packets',
    'The oldest first',
    codecs.object({
      packets: codecs.array(Packet, 'an array of packets'),
      dropped: count('How many after `since` are not kept any more'),
      newest: count('The number of the newest of all'),
    }),
  ),
  fails: ['no_trace'],
});

export const traceEndpoints = { trace, packets };

const Violation = codecs.named(
  'Violation',
  'A violation of the specification by a host',
  codecs.object({
    adapter: about('The id of its adapter', codecs.text),
    clause: about('The clause of the Core Specification', codecs.text),
    message: about('A message for people', codecs.text),
    count: count('How often'),
    packet: about(
      'The number of the first packet in the trace; null: there is no trace',
      codecs.nullable(codecs.anyInteger),
    ),
  }),
);

export const ViolationsAnswer = codecs.object({
  strict: about('False: nothing is checked', codecs.boolean),
  violations: codecs.array(Violation, 'an array of violations'),
});

export const violationEndpoints = {
  violations: endpoint({
    method: 'GET',
    path: '/violations',
    subject: 'Adapters',
    summary: 'Lists what strict controllers find wrong with their hosts',
    response: ViolationsAnswer,
  }),
};
