import { COMPILED, describeWalks, IN_A_GUEST } from './walks.js';

describeWalks('The walks of the documents that compile TypeScript', COMPILED);
describeWalks('The walks of the documents in a Linux guest', IN_A_GUEST);
