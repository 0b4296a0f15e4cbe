import { clockMutations } from './clock-mutations.js';
import { unsampled } from './mutation.js';
import { itNoticesMutations } from './mutated-server.js';

itNoticesMutations('The clock features', {
  server: 'clock',
  sound: '@C-ack or @C-rest-battery or @C-path',
  broken: unsampled(clockMutations),
});
