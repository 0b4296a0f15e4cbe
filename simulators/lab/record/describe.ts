/** A recorded device, for people: a line for each service, characteristic and descriptor. */
import { hexBytes, hexNumber } from '../../../src/bytes/index.js';
import { Uuid, uuidText } from '../../../src/ble/hci/att.js';
import { isService, type Attribute } from '../../ble/attributes.js';
import { propertiesIn } from '../../devices/described/description/services.js';
import type { ReadResult, Explored } from './explore.js';

const answerText = (answer: ReadResult | undefined): string => {
  if (answer === undefined) return '';
  return 'value' in answer ? hexBytes(answer.value) : `refused with ${hexNumber(answer.error)}`;
};

const line = (attribute: Attribute, answer: ReadResult | undefined): string => {
  const { handle, type, fixed, properties } = attribute;
  const at = hexNumber(handle, 4);
  if (isService(attribute)) {
    return `${at} service ${uuidText(fixed ?? Buffer.alloc(0))}`;
  }
  const words =
    properties === undefined ? [type] : [type, propertiesIn(properties).join(', ').replaceAll('_', ' ')];
  return ['  ' + at, ...words, answerText(answer)].filter((word) => word !== '').join('  ');
};

/** Declarations of characteristics are not shown: the line of their value has their content. */
export const describeExplored = ({ attributes, answers }: Explored): readonly string[] =>
  attributes
    .filter(({ type }) => type !== Uuid.characteristic && type !== Uuid.include)
    .map((attribute) => line(attribute, answers.get(attribute.handle)));

export const valuesOf = ({ attributes, answers }: Explored, uuid: string): readonly Buffer[] =>
  attributes.flatMap(({ type, handle }) => {
    const answer = answers.get(handle);
    return type === uuid && answer !== undefined && 'value' in answer ? [answer.value] : [];
  });
