import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';

export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !isArray(value);
