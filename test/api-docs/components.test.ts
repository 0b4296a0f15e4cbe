import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Components } from '../../src/api-docs/components.js';
import * as codecs from '../../src/codecs/index.js';

const { about, both, literal, named, object, tagged, text } = codecs;
type AnyCodec = codecs.AnyCodec;

const reference = (name: string) => ({ $ref: `#/$defs/${name}` });

const Name = named('Name', 'A name', object({ name: text }));

const outputOf = (...codecs: readonly AnyCodec[]): Components =>
  new Components({ input: [], output: codecs, format: 'json-schema' });

const openApiOf = (codec: AnyCodec) =>
  new Components({ input: [], output: [codec], format: 'openapi' }).schemas;

describe('The components of a document', () => {
  it('refuse two schemas with the same title', () => {
    const other = named('Name', 'Another one', object({ id: text }));
    expect(() => outputOf(Name, other)).to.throw('two schemas have the title Name');
  });

  it('describe a field whose description differs from its named schema', () => {
    const Pair = object({ first: Name, second: about('The other one', Name) });
    expect(outputOf(Pair).output(Pair)).to.have.deep.property('properties', {
      first: reference('Name'),
      second: { ...reference('Name'), description: 'The other one' },
    });
  });

  const shapes = {
    circle: object({ shape: literal('circle'), radius: text }),
    square: object({ shape: literal('square'), side: text }),
  };
  const Shape = named('Shape', 'A shape', tagged('shape', shapes));

  it('name the field that distinguishes the members of a choice in OpenAPI, without titles', () => {
    const openApi = openApiOf(Shape);
    const [circle, square] = ['circle', 'square'].map((name) => `#/components/schemas/Shape_${name}`);
    expect(openApi['Shape']).to.deep.equal({
      description: 'A shape',
      oneOf: [{ $ref: circle }, { $ref: square }],
      discriminator: { propertyName: 'shape', mapping: { circle, square } },
    });
    expect(openApi['Shape_circle']).to.not.have.property('title');
  });

  it('do not name the distinguishing field if a choice is a part of another schema, or if a member may lack the field', () => {
    const Painted = named('Painted', 'With a colour', both(Shape, object({ colour: text }), 'an object'));
    expect(openApiOf(Painted)['Shape']).to.have.all.keys('description', 'oneOf');
    const withUsual = tagged('shape', { ...shapes, circle: object({ radius: text }) }, 'circle');
    const { Usual } = openApiOf(named('Usual', 'A shape', withUsual));
    expect(Usual).to.not.have.property('discriminator');
  });
});
