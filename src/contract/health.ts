import { about, named, object, oneOf, type Fields } from '../codecs/index.js';
import { endpoint } from './endpoint.js';

/** How a server stands with its MQTT broker; `off`: it has none. */
export const MQTT_STATES = ['off', 'connecting', 'connected'] as const;

/** Whether a server serves, and whether it can do its work. `details`: what else `/health` returns. */
export const healthEndpoints = <D extends Fields>(details: D) => ({
  health: endpoint({
    method: 'GET',
    path: '/health',
    subject: 'Operation',
    access: 'open',
    counted: false,
    summary: 'Answers as long as the process serves',
    response: named(
      'Health',
      'How the service is',
      object({
        status: about('`degraded` while the service cannot do its work', oneOf(['ok', 'degraded'])),
        ...details,
      }),
    ),
  }),
  ready: endpoint({
    method: 'GET',
    path: '/ready',
    subject: 'Operation',
    access: 'open',
    counted: false,
    summary: 'Answers 503 while the service cannot do its work',
    response: named('Ready', 'The service can do its work', object({ status: oneOf(['ready']) })),
    fails: ['not_ready'],
  }),
});
