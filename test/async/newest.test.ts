import { expect } from 'chai';
import { describe, it } from 'mocha';
import { addNewest, setNewest } from '../../src/async/newest.js';

describe('A collection of the newest keys', () => {
  it('drops the oldest keys beyond its limit, except the kept ones', () => {
    const map = new Map<string, number>();
    for (const [index, key] of ['kept', 'b', 'c', 'b', 'd'].entries())
      setNewest(map, key, index, 2, (other) => other === 'kept');
    expect([...map]).to.deep.equal([
      ['kept', 0],
      ['d', 4],
    ]);
  });

  it('reports each dropped key of a set', () => {
    const keys = new Set<string>();
    const dropped: string[] = [];
    for (const key of ['a', 'b', 'a', 'c', 'd']) addNewest(keys, key, 2, (oldest) => dropped.push(oldest));
    expect([[...keys], dropped]).to.deep.equal([
      ['c', 'd'],
      ['b', 'a'],
    ]);
  });
});
