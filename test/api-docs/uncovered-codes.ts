/** The codes that the walk does not provoke, and why. */
import type { Contract, FailureCode } from '../../src/contract/index.js';

interface UncoveredCode {
  readonly code: FailureCode;
  readonly of: readonly Contract['name'][];
  readonly cause: string;
}

const ALL = ['dice', 'clock', 'control'] as const;
const SERVERS = ['dice', 'clock'] as const;

export const uncoveredCodes: readonly UncoveredCode[] = [
  { code: 'internal_error', of: ALL, cause: 'it takes a defect' },
  { code: 'request_timeout', of: ALL, cause: 'a server waits ten seconds for the headers of a request' },
  { code: 'too_many_requests', of: ['control'], cause: 'the requests to the control API are not limited' },
  {
    code: 'adapter_unavailable',
    of: SERVERS,
    cause: 'a server whose adapter cannot be opened does not start',
  },
  { code: 'not_ready', of: ['control'], cause: 'the control API has no adapter to wait for' },
  {
    code: 'owned_elsewhere',
    of: SERVERS,
    cause: 'it takes a broker and another server: test/mqtt/races.test.ts',
  },
  {
    code: 'unclaimed',
    of: SERVERS,
    cause: 'it takes a broker that does not answer: test/mqtt/owners.test.ts',
  },
  { code: 'no_reading', of: ['clock'], cause: 'a virtual clock advertises its readings' },
];
