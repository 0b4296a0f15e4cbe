import { sampled } from './mutation.js';
import { itNoticesMutations } from './mutated-server.js';
import { diceMutations } from './dice-mutations.js';

itNoticesMutations('The dice features', {
  server: 'dice',
  sound: '@D-connect or @D-ws',
  broken: sampled(diceMutations),
});
