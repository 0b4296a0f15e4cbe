import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Components } from '../../src/api-docs/components.js';
import * as codecs from '../../src/codecs/index.js';

const { about, array, both, described, literal, named, nullable, object, tagged, text } = codecs;
type AnyCodec = codecs.AnyCodec;

const reference = (name: string) => ({ $ref: `#/$defs/${name}` });

const Name = named('Name', 'A name', object({ name: text }));
const Person = named('Person', 'Somebody', object({ name: Name, friends: array(Name, 'names') }));

const outputOf = (...codecs: readonly AnyCodec[]): Components =>
  new Components({ input: [], output: codecs, format: 'json-schema' });

const openApiOf = (codec: AnyCodec) =>
  new Components({ input: [], output: [codec], format: 'openapi' }).schemas;

describe('The components of a document', () => {
  it('keep a schema with a title once, and refer to it wherever it is', () => {
    const components = outputOf(Person);
    const listOf = (items: object) => ({ type: 'array', items });
    expect(components.output(array(Person, 'people'))).to.deep.equal(listOf(reference('Person')));
    expect(components.schemas).to.deep.equal({
      Name: {
        ...{ title: 'Name', description: 'A name', type: 'object' },
        ...{ properties: { name: { type: 'string' } }, required: ['name'] },
      },
      Person: {
        ...{ title: 'Person', description: 'Somebody', type: 'object', required: ['name', 'friends'] },
        properties: { name: reference('Name'), friends: listOf(reference('Name')) },
      },
    });
  });

  it('have another schema for the input if that differs from the output', () => {
    const onOrOff = described(literal(true), { enum: [true, 'on'] }, { type: 'boolean' });
    const Switch = named('Switch', 'On or off', onOrOff);
    const titled = [Switch, Name];
    const components = new Components({ input: titled, output: titled, format: 'json-schema' });
    const inputs = titled.map((codec) => components.input(codec));
    expect(inputs).to.deep.equal([reference('SwitchInput'), reference('Name')]);
    const outputs = titled.map((codec) => components.output(codec));
    expect(outputs).to.deep.equal([reference('Switch'), reference('Name')]);
    const { SwitchInput } = components.schemas;
    expect(SwitchInput).to.deep.equal({
      ...{ title: 'SwitchInput', description: 'On or off', enum: [true, 'on'] },
    });
    expect(Object.keys(components.schemas)).to.deep.equal(['Name', 'Switch', 'SwitchInput']);
  });

  it('refuse two schemas of one title', () => {
    const other = named('Name', 'Another one', object({ id: text }));
    expect(() => outputOf(Name, other)).to.throw('two schemas have the title Name');
  });

  it('describe a field of a named schema where its description differs', () => {
    const Pair = object({ first: Name, second: about('The other one', Name) });
    expect(outputOf(Pair).output(Pair)).to.have.deep.property('properties', {
      first: reference('Name'),
      second: { ...reference('Name'), description: 'The other one' },
    });
  });

  it('keep an object without a title under the name given', () => {
    const Other = object({ id: nullable(text) });
    const components = outputOf();
    expect(components.output(Other, 'Answer')).to.deep.equal(reference('Answer'));
    expect(components.schemas).to.have.nested.property('Answer.title', 'Answer');
    expect(components.output(text, 'Text')).to.deep.equal({ type: 'string' });
  });

  const shapes = {
    circle: object({ shape: literal('circle'), radius: text }),
    square: object({ shape: literal('square'), side: text }),
  };
  const Shape = named('Shape', 'A shape', tagged('shape', shapes));

  it('name the members of a choice by the values that tell them apart', () => {
    const { schemas } = outputOf(Shape);
    expect(schemas['Shape']).to.deep.equal({
      title: 'Shape',
      description: 'A shape',
      oneOf: [reference('Shape_circle'), reference('Shape_square')],
    });
    expect(Object.keys(schemas)).to.deep.equal(['Shape', 'Shape_circle', 'Shape_square']);
    expect(schemas).to.have.nested.property('Shape_circle.properties.shape.title', 'Shape_circle_shape');
  });

  it('name the field of these values in OpenAPI, which needs no titles', () => {
    const openApi = openApiOf(Shape);
    const [circle, square] = ['circle', 'square'].map((name) => `#/components/schemas/Shape_${name}`);
    expect(openApi['Shape']).to.deep.equal({
      description: 'A shape',
      oneOf: [{ $ref: circle }, { $ref: square }],
      discriminator: { propertyName: 'shape', mapping: { circle, square } },
    });
    expect(openApi['Shape_circle']).to.not.have.property('title');
  });

  it('leave the field unnamed where a choice is a part of another schema, or a member may lack it', () => {
    const Painted = named('Painted', 'With a colour', both(Shape, object({ colour: text }), 'an object'));
    expect(openApiOf(Painted)['Shape']).to.have.all.keys('description', 'oneOf');
    const withUsual = tagged('shape', { ...shapes, circle: object({ radius: text }) }, 'circle');
    const { Usual } = openApiOf(named('Usual', 'A shape', withUsual));
    expect(Usual).to.not.have.property('discriminator');
  });
});
