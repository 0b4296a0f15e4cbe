/** The codes that the walk does not provoke, and why. */
import type { Contract, FailureCode } from '../../src/contract/index.js';

interface UncoveredCode {
  readonly code: FailureCode;
  readonly of: readonly Contract['name'][];
  readonly why: string;
}

const ALL = ['dice', 'clock', 'control'] as const;
const SERVERS = ['dice', 'clock'] as const;

export const uncoveredCodes: readonly UncoveredCode[] = [
  { code: 'internal_error', of: ALL, why: 'it takes a defect' },
  { code: 'request_timeout', of: ALL, why: 'a server waits ten seconds for the headers of a request' },
  { code: 'too_many_requests', of: ['control'], why: 'the requests to the control API are not limited' },
  { code: 'adapter_unavailable', of: SERVERS, why: 'a server whose adapter cannot be opened does not start' },
  { code: 'not_ready', of: ['control'], why: 'the control API has no adapter to wait for' },
  {
    code: 'owned_elsewhere',
    of: SERVERS,
    why: 'it takes a broker and another server: test/mqtt/races.test.ts',
  },
  { code: 'unclaimed', of: SERVERS, why: 'it takes a broker that does not answer: test/mqtt/owners.test.ts' },
  { code: 'no_reading', of: ['clock'], why: 'a virtual clock advertises its readings' },
];
