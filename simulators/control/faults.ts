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
const named = (pattern: RegExp, form: string): codecs.Codec<string> =>
  codecs.described(
    new t.Type<string, string>(
      `${form} or ${codecs.deviceAddress.name}`,
      t.string.is,
      (value, context) =>
        typeof value === 'string' && pattern.test(value)
          ? t.success(value)
          : codecs.deviceAddress.validate(value, context),
      t.identity,
    ),
    { anyOf: [{ type: 'string', pattern: pattern.source }, codecs.deviceAddress.schema.input] },
  );

/** `hci0`, or the name of a Bluetooth proxy, which its adapter has too: letters, digits and hyphens, as in a host name. */
const ADAPTER = new RegExp(`^(?!all$)${PROXY_NAME}$`);

export const isAdapter = (value: unknown): value is string =>
  typeof value === 'string' && ADAPTER.test(value);

/** One controller, by its address or name. */
export const Target = named(ADAPTER, 'an adapter such as hci0');

const adapter = codecs.about('An adapter', named(ADAPTER, 'an adapter such as hci0,'));
const device = codecs.about(
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
const times = codecs.about(
  'How often it acts before it is spent; without limit unless given',
  codecs.integer(1, MAX_COUNT),
);
const after = codecs.about('It acts on each so many of them', codecs.integer(1, MAX_COUNT));
const ms = codecs.about('How much longer they take, milliseconds', codecs.integer(0, MAX_MS));
const rate = codecs.about('The chance with which it acts, 0 to 1', codecs.number(0, 1));
const ErrorStatus = codecs.about(
  'The error code of the answer (Core 5.4 Vol 1 Part F 1.3)',
  codecs.integer(1, 255),
);

const USUAL_STAGE = 'acl_from_host';

/** A codec for each stage of packets, which decides what opcodes mean. */
const atStages = <C>(at: (stage: PacketStage) => C): Readonly<Record<PacketStage, C>> => ({
  command: at('command'),
  event: at('event'),
  acl_from_host: at('acl_from_host'),
  acl_to_host: at('acl_to_host'),
});

/** Fields beside those of the fault itself: of most types, of all, of `adapter_down`, of the faults of proxies. */
interface OtherFields<
  R extends codecs.Fields,
  O extends codecs.Fields,
  A extends codecs.Fields,
  P extends codecs.Fields,
> {
  readonly required: R;
  readonly optional: O;
  readonly adapters: A;
  readonly proxies: P;
}

/** The codec of a fault of any type, under the names that the air has for it, with some other fields. */
export const faultBody = <
  R extends codecs.Fields,
  O extends codecs.Fields,
  A extends codecs.Fields,
  P extends codecs.Fields,
>({
  required,
  optional,
  adapters,
  proxies,
}: OtherFields<R, O, A, P>) => {
  const of = <T extends string>(type: T) => ({ type: codecs.literal(type), ...required });
  const lasting = {
    for_ms: codecs.about('Ends after so many milliseconds', codecs.integer(1, MAX_MS)),
    ...optional,
  };
  const often = { ...lasting, times };
  const some = { ...often, after, rate };
  const packets = (stage: PacketStage) => ({ ...some, opcode: opcodes[stage] });

  const ofProxy = <T extends string>(type: T) => ({ type: codecs.literal(type), ...proxies });
  const lastingOfProxy = <T extends string>(type: T) => codecs.closedObject(ofProxy(type), lasting);

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

  return codecs.tagged('type', {
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
        period_ms: codecs.about('From one strongest to the next, milliseconds', codecs.integer(1, MAX_MS)),
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
    proxy_slots_taken: codecs.closedObject({ ...ofProxy('proxy_slots_taken'), slots }, lasting),
    proxy_connection_lost: lastingOfProxy('proxy_connection_lost'),
    proxy_slow: codecs.closedObject(
      { ...ofProxy('proxy_slow'), ms: delayMs },
      { ...lasting, jitter_ms: delayMs },
    ),
    proxy_stalled: lastingOfProxy('proxy_stalled'),
    proxy_deaf: lastingOfProxy('proxy_deaf'),
    proxy_stale_links: lastingOfProxy('proxy_stale_links'),
    proxy_other_key: lastingOfProxy('proxy_other_key'),
    proxy_down: lastingOfProxy('proxy_down'),
  });
};

/** A fault as `POST /faults` takes it. */
export const FaultBody: codecs.Codec<FaultSpec, unknown> = codecs.named(
  'FaultSpec',
  'A fault, by its type',
  faultBody({
    required: { device },
    optional: {},
    adapters: { device: adapter },
    proxies: { device: proxy },
  }),
);

const reported = {
  id: codecs.about('Such as f1; it ends by this', codecs.text),
  hits: codecs.about('How often it acted', codecs.anyInteger),
};
const Reported = codecs.object(reported);
const { input, output } = codecs.both(FaultBody, Reported, '').schema;

/** A fault as it is answered; for documents it is a `FaultSpec` with more. */
export const FaultAnswer = codecs.named(
  'Fault',
  'A fault, and what it did',
  codecs.described(
    codecs.both(
      faultBody({
        required: { device, ...reported },
        optional: {},
        adapters: { device: adapter, ...reported },
        proxies: { device: proxy, ...reported },
      }),
      Reported,
      'a fault',
    ),
    input,
    output,
  ),
);
