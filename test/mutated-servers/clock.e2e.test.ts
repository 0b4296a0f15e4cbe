import { itNoticesMutations } from './mutated-server.js';

itNoticesMutations('clock', 'sample');
