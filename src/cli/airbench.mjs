#!/usr/bin/env node
import './supported-node.mjs';

await import('./main.ts');
