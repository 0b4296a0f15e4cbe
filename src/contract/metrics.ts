import { bytes } from '../codecs/index.js';
import { endpoint } from './endpoint.js';

export const metricsEndpoints = {
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    subject: 'Operation',
    isMeasured: false,
    summary: 'What the server counts and measures, for Prometheus',
    response: bytes('text/plain'),
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }),
};
