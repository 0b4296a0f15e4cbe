/** The rows of the air: its settings, places of devices, faults and chaos. */
import * as codecs from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { MAX_SEED, PlanBody } from './chaos-plan.js';
import { count, Deleted, ofDevice } from './device-rows.js';
import { FaultAnswer, FaultBody, ScheduledFault } from './faults.js';
import { placeFields, ReceptionBody } from './specs.js';

const MAX_LATENCY_MS = 60_000;

const { about } = codecs;

const seed = codecs.named(
  'Seed',
  'The seed of all random choices; setting it starts the sequence again',
  codecs.integer(0, MAX_SEED),
);

const air = {
  pace: about('`fast`: the time of devices runs 20 times as fast', codecs.oneOf(['fast', 'real'])),
  loss: about('The part of packets that is lost, 0 to 1; links send them again', codecs.number(0, 1)),
  latency_ms: about('Each way, milliseconds', codecs.number(0, MAX_LATENCY_MS)),
  seed,
};
export const AirBody = codecs.closedObject({}, air);
export const AirAnswer = codecs.named('Air', 'Pace, loss, latency each way and seed', codecs.object(air));
export const AirReport = codecs.named(
  'AirReport',
  'The settings of the air, and whether there is a plan of chaos',
  codecs.object({ ...air, chaos: about('Whether there is a plan of chaos', codecs.boolean) }),
);

export const ResetBody = codecs.closedObject({}, { seed });

const ofFault = { id: about('The id of the fault, such as f1', codecs.text) };

export const ChaosAnswer = codecs.named(
  'Chaos',
  'A plan that runs, and what its faults have done, by type',
  codecs.object({
    seed,
    duration_secs: about('Seconds', codecs.number(1, 86_400)),
    elapsed_ms: count('Milliseconds since it began'),
    running: about('False once its time is over', codecs.boolean),
    faults: codecs.json({
      type: 'object',
      additionalProperties: codecs.object({
        scheduled: count('In the whole plan'),
        injected: count('So far'),
        missed: count('Their device was not there'),
        hits: count('How often they acted'),
      }).schema.output,
    }),
  }),
);

export const airEndpoints = {
  air: endpoint({
    method: 'GET',
    path: '/air',
    subject: 'Air',
    summary: 'Returns the settings of the air, and whether there is a plan of chaos',
    response: AirReport,
  }),
  setAir: endpoint({
    method: 'PUT',
    path: '/air',
    subject: 'Air',
    summary: 'Changes the air; omitted settings stay as they are',
    body: AirBody,
    response: AirAnswer,
  }),
  place: endpoint({
    method: 'PUT',
    path: '/air/:address',
    subject: 'Air',
    summary: 'Moves a device or an adapter, or a device for one `adapter` alone; `rssi` in dBm',
    params: ofDevice,
    body: ReceptionBody,
    response: codecs.object({ ...ofDevice, ...placeFields }),
    fails: ['unknown_device', 'unknown_adapter'],
  }),
};

export const faultEndpoints = {
  faults: endpoint({
    method: 'GET',
    path: '/faults',
    subject: 'Faults',
    summary: 'Lists the faults',
    response: codecs.array(FaultAnswer, 'an array of faults'),
  }),
  addFault: endpoint({
    method: 'POST',
    path: '/faults',
    subject: 'Faults',
    summary: 'Adds a fault',
    body: FaultBody,
    response: FaultAnswer,
    fails: ['unknown_device', 'unknown_adapter', 'unknown_proxy'],
  }),
  removeFault: endpoint({
    method: 'DELETE',
    path: '/faults/:id',
    subject: 'Faults',
    summary: 'Ends a fault',
    params: ofFault,
    response: codecs.object({ ...ofFault, deleted: Deleted }),
    fails: ['unknown_fault'],
  }),
};

export const chaosEndpoints = {
  chaos: endpoint({
    method: 'GET',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Returns what the plan has done so far',
    response: ChaosAnswer,
    fails: ['no_chaos'],
  }),
  schedule: endpoint({
    method: 'GET',
    path: '/chaos/schedule',
    subject: 'Faults',
    summary: 'Lists all faults of the plan, each with the time after the beginning, ms',
    response: codecs.array(ScheduledFault, 'an array of faults'),
    fails: ['no_chaos'],
  }),
  startChaos: endpoint({
    method: 'POST',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Starts a plan, and ends a running one',
    body: codecs.named('Plan', 'Faults by chance', codecs.json(PlanBody.schema.input)),
    response: ChaosAnswer,
  }),
  stopChaos: endpoint({
    method: 'DELETE',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Ends the plan and its faults; returns what it has done',
    response: ChaosAnswer,
    fails: ['no_chaos'],
  }),
};
