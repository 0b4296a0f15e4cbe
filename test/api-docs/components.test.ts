import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Components } from '../../src/api-docs/components.js';
import {
  about,
  array,
  both,
  described,
  literal,
  named,
  nullable,
  object,
  tagged,
  text,
  type AnyCodec,
} from '../../src/codecs/index.js';

const reference = (name: string) => ({ $ref: `#/$defs/${name}` });

const Name = named('Name', 'A name', object({ name: text }));
const Person = named('Person', 'Somebody', object({ name: Name, friends: array(Name, 'names') }));

const outputOf = (...codecs: readonly AnyCodec[]): Components =>
  new Components({ input: [], output: codecs, format: 'json-schema' });

describe('The components of a document', () => {
  it('keep a schema with a title once, and refer to it wherever it is', () => {
    const components = outputOf(Person);
    expect(components.output(array(Person, 'people'))).to.deep.equal({
      type: 'array',
      items: reference('Person'),
    });
    expect(components.schemas).to.deep.equal({
      Name: {
        title: 'Name',
        description: 'A name',
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
      Person: {
        title: 'Person',
        description: 'Somebody',
        type: 'object',
        properties: { name: reference('Name'), friends: { type: 'array', items: reference('Name') } },
        required: ['name', 'friends'],
      },
    });
  });

  it('have another schema for the input if that differs from the output', () => {
    const either = named(
      'Switch',
      'On or off',
      described(literal(true), { enum: [true, 'on'] }, { type: 'boolean' }),
    );
    const components = new Components({
      input: [either, Name],
      output: [either, Name],
      format: 'json-schema',
    });
    expect([components.input(either), components.output(either)]).to.deep.equal([
      reference('SwitchInput'),
      reference('Switch'),
    ]);
    expect([components.input(Name), components.output(Name)]).to.deep.equal([
      reference('Name'),
      reference('Name'),
    ]);
    expect(components.schemas['SwitchInput']).to.deep.equal({
      title: 'SwitchInput',
      description: 'On or off',
      enum: [true, 'on'],
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
    const openApi = new Components({ input: [], output: [Shape], format: 'openapi' }).schemas;
    expect(openApi['Shape']).to.deep.equal({
      description: 'A shape',
      oneOf: [{ $ref: '#/components/schemas/Shape_circle' }, { $ref: '#/components/schemas/Shape_square' }],
      discriminator: {
        propertyName: 'shape',
        mapping: {
          circle: '#/components/schemas/Shape_circle',
          square: '#/components/schemas/Shape_square',
        },
      },
    });
    expect(openApi['Shape_circle']).to.not.have.property('title');
  });

  it('leave the field unnamed where a choice is a part of another schema, of which it would be the base class', () => {
    const Painted = named('Painted', 'With a colour', both(Shape, object({ colour: text }), 'an object'));
    const { schemas } = new Components({ input: [], output: [Painted], format: 'openapi' });
    expect(schemas['Shape']).to.have.all.keys('description', 'oneOf');
  });

  it('leave the field unnamed where a member may lack it', () => {
    const Usual = named(
      'Usual',
      'A shape',
      tagged('shape', { ...shapes, circle: object({ radius: text }) }, 'circle'),
    );
    const openApi = new Components({ input: [], output: [Usual], format: 'openapi' }).schemas;
    expect(openApi['Usual']).to.not.have.property('discriminator');
  });
});
