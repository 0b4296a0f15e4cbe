import eslint from '@eslint/js';
import { builtinRules } from 'eslint/use-at-your-own-risk';
import tseslint from 'typescript-eslint';

const functionLength = builtinRules.get('max-lines-per-function');

const isDescribe = ({ parent }) => parent?.type === 'CallExpression' && parent.callee.name === 'describe';

/** ESLint's rule, for all functions but the callbacks of `describe`, which are lists of tests. */
const functionsFitAScreen = {
  meta: functionLength.meta,
  create: (context) => {
    const report = (problem) => isDescribe(problem.node) || context.report(problem);
    return functionLength.create(Object.create(context, { report: { value: report } }));
  },
};

export default tseslint.config(
  { ignores: ['dist*/', 'reports/', 'ci/*.cjs', 'docs/examples/dice-client/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'ci/pages.tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    // A promise that nobody waits for is `detached`.
    files: ['{src,simulators}/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }] },
  },
  {
    files: ['{src,simulators,features,ci,test}/**/*.{ts,tsx}'],
    plugins: { airbench: { rules: { 'max-lines-per-function': functionsFitAScreen } } },
    rules: {
      'airbench/max-lines-per-function': [
        'error',
        { max: 80, skipBlankLines: false, skipComments: false, IIFEs: true },
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    // Their packages need not be there: test/testing/world.e2e.test.ts checks their types.
    files: ['docs/examples/testing/*.spec.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { project: null } },
  },
  {
    files: ['ci/**/*.mjs', 'src/cli/*.mjs'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
      },
    },
  },
  {
    files: ['docs/lab/*.mjs'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        clearInterval: 'readonly',
        console: 'readonly',
        navigator: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
      },
    },
  },
  {
    // chai's assertions are expressions.
    files: ['**/*.test.ts', 'test/**/*.ts', 'features/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
