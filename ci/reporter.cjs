/** Mocha's own reporters, one for people and one for programs; with `--reporter-option output=FILE` the latter writes to a file. */
const { Base, JSON: Results, Spec } = require('mocha').reporters;

module.exports = class extends Base {
  constructor(runner, options) {
    super(runner, options);
    this.reporters = [new Spec(runner, options), new Results(runner, options)];
  }
};
