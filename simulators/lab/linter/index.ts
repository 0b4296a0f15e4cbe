/** Violations of hosts on a strict air, as a report. */
export { counted, violationCount, type Findings } from './findings.js';
export { junitOf } from './junit.js';
export { pageOf } from './page.js';
