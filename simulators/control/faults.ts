import * as t from 'io-ts';
import type { FaultSpec, PacketStage } from '../radio/index.js';
import * as codecs from '../../src/codecs/index.js';
import { MAX_SLOTS, PROXY_NAME } from '../../src/contract/proxies.js';
import { opcodes } from './opcodes.js';

const MAX_MS = 3_600_000;
const MAX_COUNT = 1_000_000;
const MAX_EVENT_BYTES = 255;
const MAX_DEPTH_DB = 100;
const MAX_ADVERTISEMENTS_PER_SECOND = 10_000;

/** One of the names that `pattern` matches, or an address. */
const named = (pattern: RegExp, form: string): codecs.Codec<string> => {
  const text = { type: 'string', pattern: pattern.source };
  const { input, output } = codecs.deviceAddress.schema;
  return codecs.described(
    new t.Type<string, string>(
      `${form} or ${codecs.deviceAddress.name}`,
      t.string.is,
      (value, context) =>
        typeof value === 'string' && pattern.test(value)
          ? t.success(value)
          : codecs.deviceAddress.validate(value, context),
      t.identity,
    ),
    { anyOf: [text, input] },
    { anyOf: [text, output] },
  );
};

/** `hci0`, or the name of a Bluetooth proxy, which its adapter has too: letters, digits and hyphens, as in a host name. */
const ADAPTER = new RegExp(`^(?!all$)${PROXY_NAME}$`);

export const isAdapter = (value: unknown): value is string =>
  typeof value === 'string' && ADAPTER.test(value);

/** One controller, by its address or name. */
export const Target = named(ADAPTER, 'an adapter such as hci0');

const adapter = codecs.named('AdapterTarget', 'An adapter', named(ADAPTER, 'an adapter such as hci0,'));
const device = codecs.named(
  'FaultTarget',
  'All devices, one device, or an adapter',
  named(new RegExp(`^${PROXY_NAME}$`), 'all, an adapter such as hci0,'),
);

/** The name of a proxy that may be made: no adapter of a host is called so. */
export const proxyName = codecs.matching(
  '1 to 31 lower-case letters, digits and hyphens, such as proxy-kitchen, and neither all nor hci and a number',
  new RegExp(`^(?!all$|hci\\d+$)${PROXY_NAME}$`),
);

const proxy = codecs.about('A Bluetooth proxy, by its name', proxyName);
const slots = codecs.about('How many slots others have', codecs.integer(1, MAX_SLOTS));
const delayMs = codecs.about('Milliseconds', codecs.integer(0, MAX_MS));

/** The prefix of the faults of proxies. */
export const isOfProxy = (type: string): boolean => type.startsWith('proxy_');
const times = codecs.named(
  'FaultTimes',
  'How often the fault acts before it ends; default without limit',
  codecs.integer(1, MAX_COUNT),
);
const after = codecs.named('FaultAfter', 'It acts on each so many of them', codecs.integer(1, MAX_COUNT));
const ms = codecs.about('How much longer they take, milliseconds', codecs.integer(0, MAX_MS));
const rate = codecs.named('FaultRate', 'The probability of each action, 0 to 1', codecs.number(0, 1));
const ErrorStatus = codecs.about(
  'The error code of the answer (Core 5.4 Vol 1 Part F 1.3)',
  codecs.integer(1, 255),
);

const forMs = codecs.named('FaultForMs', 'Ends after so many milliseconds', codecs.integer(1, MAX_MS));

const USUAL_STAGE = 'acl_from_host';

/** A codec for each stage of packets, which decides what opcodes mean. */
const atStages = <C>(at: (stage: PacketStage) => C): Readonly<Record<PacketStage, C>> => ({
  command: at('command'),
  event: at('event'),
  acl_from_host: at('acl_from_host'),
  acl_to_host: at('acl_to_host'),
});

/** Fields beside those of the fault itself: of most types, of all, of `adapter_down`, of the faults of proxies. */
interface OtherFields<R extends codecs.Fields, O extends codecs.Fields> {
  readonly required: R;
  readonly optional: O;
  readonly adapters: R;
  readonly proxies: R;
}

/** Faults of packets at a stage that the client chooses. */
const stagedCases = <R extends codecs.Fields, S extends codecs.Fields, F extends codecs.Fields>(
  required: R,
  some: S,
  packets: (stage: PacketStage) => F,
) => {
  const of = <T extends string>(type: T) => ({ type: codecs.literal(type), ...required });
  const advertising = { stage: codecs.literal('advertising') };
  const drop = codecs.tagged('stage', {
    ...atStages((stage) =>
      codecs.closedObject({ ...of('drop'), stage: codecs.literal(stage) }, packets(stage)),
    ),
    advertising: codecs.closedObject({ ...of('drop'), ...advertising }, some),
  });
  const delay = codecs.tagged(
    'stage',
    atStages((stage) =>
      codecs.closedObject({ ...of('delay'), ms }, { ...packets(stage), stage: codecs.literal(stage) }),
    ),
    USUAL_STAGE,
  );
  const corrupt = codecs.tagged(
    'stage',
    {
      ...atStages((stage) =>
        codecs.closedObject(of('corrupt'), { ...packets(stage), stage: codecs.literal(stage) }),
      ),
      advertising: codecs.closedObject(of('corrupt'), { ...some, ...advertising }),
    },
    USUAL_STAGE,
  );
  return { drop, delay, corrupt };
};

const proxyCases = <P extends codecs.Fields, L extends codecs.Fields>(proxies: P, lasting: L) => {
  const of = <T extends string>(type: T) => ({ type: codecs.literal(type), ...proxies });
  const plain = <T extends string>(type: T) => codecs.closedObject(of(type), lasting);
  return {
    proxy_slots_taken: codecs.closedObject({ ...of('proxy_slots_taken'), slots }, lasting),
    proxy_connection_lost: plain('proxy_connection_lost'),
    proxy_slow: codecs.closedObject({ ...of('proxy_slow'), ms: delayMs }, { ...lasting, jitter_ms: delayMs }),
    proxy_stalled: plain('proxy_stalled'),
    proxy_deaf: plain('proxy_deaf'),
    proxy_stale_links: plain('proxy_stale_links'),
    proxy_other_key: plain('proxy_other_key'),
    proxy_down: plain('proxy_down'),
  };
};

/** The codecs of faults by type, under the names that the air has for these. */
const faultCases = <R extends codecs.Fields, O extends codecs.Fields>({
  required,
  optional,
  adapters,
  proxies,
}: OtherFields<R, O>) => {
  const of = <T extends string>(type: T) => ({ type: codecs.literal(type), ...required });
  const lasting = { for_ms: forMs, ...optional };
  const often = { ...lasting, times };
  const some = { ...often, after, rate };
  const packets = (stage: PacketStage) => ({ ...some, opcode: opcodes[stage] });

  const { drop, delay, corrupt } = stagedCases(required, some, packets);
  return {
    link_loss: codecs.closedObject(of('link_loss'), packets('acl_to_host')),
    drop,
    silence: codecs.closedObject(of('silence'), packets('acl_from_host')),
    delay,
    corrupt,
    truncated_event: codecs.closedObject(
      {
        ...of('truncated_event'),
        bytes: codecs.about('How many bytes of the parameters are left', codecs.integer(0, MAX_EVENT_BYTES)),
      },
      packets('event'),
    ),
    refused_command: codecs.closedObject(
      { ...of('refused_command'), status: ErrorStatus },
      packets('command'),
    ),
    unanswered_command: codecs.closedObject(of('unanswered_command'), packets('command')),
    loss: codecs.closedObject({ ...of('loss'), rate }, often),
    failed_establishment: codecs.closedObject(of('failed_establishment'), some),
    adapter_down: codecs.closedObject({ type: codecs.literal('adapter_down'), ...adapters }, lasting),
    out_of_range: codecs.closedObject(of('out_of_range'), lasting),
    fading: codecs.closedObject(
      {
        ...of('fading'),
        depth_db: codecs.about('How much weaker at most, dB', codecs.number(0, MAX_DEPTH_DB)),
        period_ms: codecs.about('The time between two maxima, milliseconds', codecs.integer(1, MAX_MS)),
      },
      often,
    ),
    background_advertisers: codecs.closedObject(
      {
        ...of('background_advertisers'),
        per_second: codecs.about(
          'Advertisements in a second, each of a new device',
          codecs.number(0.1, MAX_ADVERTISEMENTS_PER_SECOND),
        ),
      },
      often,
    ),
    ...proxyCases(proxies, lasting),
  };
};

/** The codec of a fault of any type with some other fields. */
export const faultBody = <R extends codecs.Fields, O extends codecs.Fields>(others: OtherFields<R, O>) =>
  codecs.tagged('type', faultCases(others));

/** The codec of a fault with its device, and with some other fields. */
const faultWith = <F extends codecs.Fields>(fields: F) =>
  faultBody({
    required: { device, ...fields },
    optional: {},
    adapters: { device: adapter, ...fields },
    proxies: { device: proxy, ...fields },
  });

export const FaultBody: codecs.Codec<FaultSpec, unknown> = codecs.named(
  'FaultSpec',
  'A fault, by its type',
  faultWith({}),
);

/** A fault with some other fields, as it is answered. */
const answered = <F extends codecs.Fields>(fields: F) => {
  const fault = faultWith(fields);
  const { input, output } = fault.schema;
  return codecs.described(codecs.both(fault, codecs.object(fields), 'a fault'), input, output);
};

export const FaultAnswer = codecs.named(
  'Fault',
  'A fault and its effects so far',
  answered({
    id: codecs.about('The id, such as f1, by which the fault is removed', codecs.text),
    hits: codecs.about('How often the fault has acted', codecs.anyInteger),
  }),
);

export const ScheduledFault = codecs.named(
  'ScheduledFault',
  'A fault of a plan',
  answered({
    at_ms: codecs.about(
      'After the beginning of the plan, milliseconds',
      codecs.integer(0, Number.MAX_SAFE_INTEGER),
    ),
  }),
);
