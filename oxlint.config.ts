import { defineConfig } from 'oxlint'
import { EMPTY_NAMES, PACKAGES_WITH_EMPTY_NAMES } from './scripts/lib/names.mjs'

/** What typescript-eslint recommends, with types. */
const recommended = {
  'no-var': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'typescript/await-thenable': 'error',
  'typescript/no-array-constructor': 'error',
  'typescript/no-array-delete': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-duplicate-enum-values': 'error',
  'typescript/no-duplicate-type-constituents': 'error',
  'typescript/no-extra-non-null-assertion': 'error',
  'typescript/no-for-in-array': 'error',
  'typescript/no-implied-eval': 'error',
  'typescript/no-misused-new': 'error',
  'typescript/no-namespace': 'error',
  'typescript/no-non-null-asserted-optional-chain': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-this-alias': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-declaration-merging': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-unary-minus': 'error',
  'no-unused-expressions': 'error',
  'typescript/no-wrapper-object-types': 'error',
  'typescript/prefer-as-const': 'error',
  'typescript/prefer-namespace-keyword': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/triple-slash-reference': 'error',
} as const

const IN_PRODUCT = [
  'kernel/src/**/*.ts',
  'sdk/src/**/*.ts',
  'sdk/react/src/**/*.{ts,tsx}',
  'sdk/widget/src/**/*.ts',
  'plugins/loop/src/**/*.ts',
]

export default defineConfig({
  plugins: ['typescript'],
  jsPlugins: ['./scripts/lint/project-rules.mjs'],
  categories: { correctness: 'off' },
  options: { typeAware: true, denyWarnings: true },
  ignorePatterns: [
    '**/dist/',
    '.tools/',
    'coverage/',
    '**/.amodal/',
    'examples/*/agent/pages/', // their types are those of the frame that runs them
    'plugins/pages/built/',
    'plugins/studio/built/',
    'examples/third-party-plugin/', // its packages are installed by tests/packages
  ],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }], // `== null` asks for both kinds of nothing
    'prefer-const': 'error',
    'object-shorthand': 'error',
    'no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
    ],
    'project/comment-length': 'error',
  },
  overrides: [
    {
      files: ['**/*.ts', '**/*.tsx'],
      rules: {
        ...recommended,
        'no-console': 'error',
        'no-constant-condition': ['error', { checkLoops: false }],

        // Types tell the truth.
        'typescript/no-explicit-any': 'error',
        'typescript/no-non-null-assertion': 'error',
        'typescript/no-unnecessary-type-assertion': 'error',
        'typescript/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
        'typescript/switch-exhaustiveness-check': [
          'error',
          { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
        ],
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'typescript/no-import-type-side-effects': 'error',
        'typescript/no-empty-object-type': [
          'error',
          { allowInterfaces: 'with-single-extends' }, // names a computed type
        ],

        // No promise is lost.
        'typescript/no-floating-promises': 'error',
        'typescript/no-misused-promises': 'error',
        'typescript/return-await': ['error', 'in-try-catch'],
        'typescript/only-throw-error': 'error',
        'typescript/prefer-promise-reject-errors': 'error',

        'typescript/restrict-template-expressions': [
          'error',
          { allowNumber: true, allowBoolean: true },
        ],
        'typescript/unbound-method': 'error',
        'id-denylist': ['error', ...EMPTY_NAMES],
      },
    },

    {
      files: PACKAGES_WITH_EMPTY_NAMES.map((folder) => `${folder}/**`),
      rules: { 'id-denylist': 'off' },
    },

    {
      // Functions that are read at one look.
      files: IN_PRODUCT,
      rules: {
        complexity: ['error', 12],
        'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      files: ['sdk/src/testing/**'], // kits: tests nest in what describes them
      rules: { 'max-lines-per-function': 'off' },
    },
    {
      files: [
        'cli/**/*.ts',
        'kernel/**/*.ts',
        'plugins/*/src/**/*.{ts,tsx}',
        'plugins/loop/**/*.ts',
        'plugins/studio/ui/**/*.{ts,tsx}',
        'presets/src/**/*.ts',
        'sdk/**/*.{ts,tsx}',
      ],
      rules: { 'max-depth': ['error', 4], 'no-nested-ternary': 'error' },
    },

    { files: ['**/*.ts'], rules: { 'project/no-environment': 'error' } },
    {
      files: [
        'plugins/secrets-env/**',
        'plugins/tools-custom/src/child/**',
        'presets/**',
        'cli/**',
        'tests/**',
        'examples/**',
        '**/test/**',
        '*.config.ts',
      ],
      rules: { 'project/no-environment': 'off' },
    },

    {
      files: ['kernel/src/hooks/runner.ts'],
      // it finds out whether code may be generated here
      rules: { 'typescript/no-implied-eval': 'off' },
    },

    {
      // What writes to the person's terminal.
      files: [
        'plugins/log-json/src/**',
        'presets/src/cli*',
        'presets/src/cli/**',
        'cli/**',
        'examples/**',
        'tests/bench/**',
      ],
      rules: { 'no-console': 'off' },
    },

    {
      // Tests reach into loosely typed answers of the wire; still no `any`.
      files: ['**/test/**/*.ts', '**/*.test.ts', 'tests/**/*.ts'],
      rules: {
        'typescript/no-non-null-assertion': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/unbound-method': 'off',
      },
    },
  ],
})
