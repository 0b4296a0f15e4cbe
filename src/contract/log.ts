import { about, integer, named, object } from '../codecs/index.js';
import { endpoint } from './endpoint.js';

const Log = named(
  'Log',
  'How much is logged',
  object({ verbose: about('0 warnings, 1 what happens, 2 details, 3 all', integer(0, 3)) }),
);

export const logEndpoints = {
  log: endpoint({
    method: 'GET',
    path: '/log',
    subject: 'Operation',
    isMeasured: false,
    summary: 'Tells how much is logged',
    response: Log,
  }),
  setLog: endpoint({
    method: 'PUT',
    path: '/log',
    subject: 'Operation',
    isMeasured: false,
    summary: 'Has the server log more or less from now on',
    body: Log,
    response: Log,
  }),
};
