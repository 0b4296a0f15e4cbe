/**
 * A rule for all direct and indirect imports of the pages, without imports of types: rooms.cjs, which counts these, cannot have
 * the rule.
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'page-reaches-no-server',
      comment: 'Pages for browsers import neither a server nor Node.',
      severity: 'error',
      from: { path: '^(src|simulators)/page/' },
      to: {
        path: '^src/(operations|http|mqtt|access|api-docs|metrics|cli|system)/|^src/ble/(?!hci/)|^simulators/(cli|lab|testing)/|^(node:)?(buffer|child_process|crypto|events|fs|http|https|module|net|os|path|process|stream|url|util)$',
        reachable: true,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.cjs'] },
  },
};
