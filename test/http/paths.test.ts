import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findPath } from '../../src/http/paths.js';
import { left, right } from '../support/bluetooth-fixture.js';

describe('the path of a request', () => {
  const paths = ['/', '/dice/:id', '/dice/all', '/dice/:id/faces/:face', '/favicon.png'];
  const find = findPath(new Map(paths.map((path) => [path, path])));

  it('is found as it is written, before one with named parts', () => {
    for (const path of ['/', '/dice/all', '/favicon.png']) {
      expect(right(find(path)), path).to.deep.equal({ place: path, params: {} });
    }
  });

  it('has its named parts decoded', () => {
    expect(right(find('/dice/a%2Fb'))).to.deep.equal({ place: '/dice/:id', params: { id: 'a/b' } });
    expect(right(find('/dice/D1/faces/6'))).to.deep.equal({
      place: '/dice/:id/faces/:face',
      params: { id: 'D1', face: '6' },
    });
  });

  it('is nowhere if it differs at all', () => {
    for (const path of [
      '',
      '*',
      '//',
      '/Dice/all',
      '/dice/',
      '/dice/all/',
      '/dice/D1/faces',
      '/faviconXpng',
    ]) {
      expect(right(find(path)), path).to.equal(undefined);
    }
  });

  it('is refused with what is no percent-encoding', () => {
    expect(left(find('/dice/%zz'))).to.include({ _tag: 'ParseError', code: 'malformed_request' });
  });
});
