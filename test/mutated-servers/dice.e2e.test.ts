import { itNoticesMutations } from './mutated-server.js';

itNoticesMutations('dice', 'sample');
