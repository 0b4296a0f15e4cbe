/** The facts of a run. Scenarios attach them as JSON; the report shows them. */
import * as t from 'io-ts';
import { About } from '../../src/contract/index.js';

const nullable = <A>(codec: t.Type<A>): t.Type<A | null> => t.union([codec, t.null]);

export const ServerFacts = t.type({
  name: t.keyof({ 'dice server': null, 'clock server': null, 'control API': null }),
  url: t.string,
  /** Its answer to `GET /api/about`; null if it has none. */
  about: nullable(About),
});

export type ServerFacts = t.TypeOf<typeof ServerFacts>;

/** The first scenario of each worker attaches the facts of the run. */
export const RunFacts = t.intersection([
  t.type({
    /** Where the features ran: `simulated`, `proxy`, `attach`, `bench` or `physical`. */
    bench: t.string,
    /** The claim: all of the contract, or the interface documents alone. */
    profile: t.keyof({ airbench: null, seed: null }),
    /** The name of the bench, or of the machine that ran the features. */
    station: t.string,
    operator: nullable(t.string),
    /** The machine that ran the features. */
    tester: t.type({
      airbench: t.string,
      /** Ends with `-dirty` if the checkout has changes; null if the commit is unknown. */
      commit: nullable(t.string),
      node: t.string,
      system: t.string,
    }),
    servers: t.array(ServerFacts),
    /** One line each. */
    adapters: t.array(t.string),
    /** The seed of the simulated air; null for real air. */
    seed: nullable(t.number),
    /** The arguments that narrow the run; empty for the whole suite. */
    selection: t.array(t.string),
  }),
  t.partial({
    /** The start of the interrupted run that this one continues, in milliseconds since 1970. */
    continues: t.number,
  }),
]);

export type RunFacts = t.TypeOf<typeof RunFacts>;

/** A device of the run, with its values as they were seen; null: not seen. */
export const DeviceFacts = t.type({
  kind: t.string,
  address: t.string,
  name: nullable(t.string),
  maker: nullable(t.string),
  firmware: nullable(t.string),
  /** Percent. */
  battery: nullable(t.number),
  /** The strength of its signal at the server's radio, dBm. */
  rssi: nullable(t.number),
  /** False for a device of the bench file that no server heard. */
  met: t.boolean,
});

export type DeviceFacts = t.TypeOf<typeof DeviceFacts>;

/** A device in a sentence. */
export const nounOf = ({ kind }: DeviceFacts): string => (kind === 'clock' ? 'clock' : 'die');

/** A finding of the run that fails no scenario, such as a restarted server. */
export const Finding = t.intersection([
  t.type({ text: t.string }),
  /** Whether a server has changed its version or commit, so that the results are those of two servers. */
  t.partial({ changedVersion: t.boolean }),
]);

export type Finding = t.TypeOf<typeof Finding>;

/** A remark or an observed value that the operator typed. */
export const Note = t.type({ text: t.string });

export const RUN_FACTS = 'run.json';
/** A device that is new to the worker; of virtual devices, the first of its kind and firmware. */
export const DEVICE_FACTS = 'device.json';
export const FINDING = 'finding.json';
export const NOTE = 'note.json';
