import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openComponents } from '../../src/api-docs/components.js';
import { array, described, literal, named, object, text } from '../../src/codecs/index.js';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const Name = named('Name', 'A name', object({ name: text }));
const Person = named('Person', 'Somebody', object({ name: Name, friends: array(Name, 'names') }));

describe('The components of a document', () => {
  it('keep a schema with a title once, and refer to it wherever it is', () => {
    const { output, schemas } = openComponents([], [Person]);
    expect(output(array(Person, 'people'))).to.deep.equal({ type: 'array', items: reference('Person') });
    expect(schemas).to.deep.equal({
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

  it('have another one for what is taken if that is not what is given', () => {
    const either = named(
      'Switch',
      'On or off',
      described(literal(true), { enum: [true, 'on'] }, { type: 'boolean' }),
    );
    const { input, output, schemas } = openComponents([either, Name], [either, Name]);
    expect([input(either), output(either)]).to.deep.equal([reference('SwitchInput'), reference('Switch')]);
    expect([input(Name), output(Name)]).to.deep.equal([reference('Name'), reference('Name')]);
    expect(schemas['SwitchInput']).to.deep.equal({
      title: 'SwitchInput',
      description: 'On or off',
      enum: [true, 'on'],
    });
    expect(Object.keys(schemas)).to.deep.equal(['Name', 'Switch', 'SwitchInput']);
  });

  it('refuse two schemas of one title', () => {
    const other = named('Name', 'Another one', object({ id: text }));
    expect(() => openComponents([], [Name, other])).to.throw('two schemas have the title Name');
  });
});
