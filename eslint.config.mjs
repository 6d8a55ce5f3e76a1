import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'
import { EMPTY_NAMES, PACKAGES_WITH_EMPTY_NAMES } from './scripts/lib/names.mjs'

const environmentIsRead =
  'Configuration comes in through config and the Secrets slot; only plugins/secrets-env, presets/ and cli/ read the environment.'

export default defineConfig(
  {
    ignores: [
      '**/node_modules/',
      '**/dist/',
      '.tools/',
      'coverage/',
      '**/.amodal/',
      'examples/*/agent/pages/', // their types are those of the frame that runs them
      'plugins/pages/built/',
      'plugins/studio/built/',
      'examples/third-party-plugin/', // its packages are installed by tests/packages
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },

  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['vitest.config.ts', 'tsup.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }], // `== null` asks for both kinds of nothing
      'no-console': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'prefer-const': 'error',
      'object-shorthand': 'error',

      // Types tell the truth.
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' },
      ], // names a computed type
      '@typescript-eslint/no-redeclare': 'off', // a token and its type share a name
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],

      // No promise is lost.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      // an async signature is often the contract, not a choice
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',

      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/unbound-method': 'error',
    },
  },

  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: PACKAGES_WITH_EMPTY_NAMES.map((folder) => `${folder}/**`),
    rules: { 'id-denylist': ['error', ...EMPTY_NAMES] },
  },

  {
    // Functions that are read at one look.
    files: ['kernel/src/**/*.ts', 'sdk/src/**/*.ts', 'plugins/loop/src/**/*.ts'],
    rules: { complexity: ['error', 12] },
  },
  {
    files: [
      'cli/**/*.ts',
      'kernel/**/*.ts',
      'plugins/*/src/**/*.{ts,tsx}',
      'plugins/loop/**/*.ts',
      'plugins/studio/ui/**/*.{ts,tsx}',
      'presets/src/**/*.ts',
      'sdk/**/*.ts',
    ],
    rules: { 'max-depth': ['error', 4], 'no-nested-ternary': 'error' },
  },
  {
    files: ['kernel/src/**/*.ts', 'sdk/src/**/*.ts', 'plugins/loop/src/**/*.ts'],
    ignores: ['sdk/src/testing/**'], // kits: tests nest in what describes them
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },

  {
    files: ['**/*.ts'],
    ignores: [
      'plugins/secrets-env/**',
      'plugins/tools-custom/src/child/**',
      'presets/**',
      'cli/**',
      'tests/**',
      'examples/**',
      '**/test/**',
      '*.config.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: environmentIsRead,
        },
        {
          selector: "MemberExpression[object.property.name='process'][property.name='env']",
          message: environmentIsRead,
        },
        {
          selector: "VariableDeclarator[init.name='process'] Property[key.name='env']",
          message: environmentIsRead,
        },
        {
          selector:
            "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']",
          message: environmentIsRead,
        },
      ],
    },
  },

  {
    files: ['kernel/src/hooks/runner.ts'],
    // it finds out whether code may be generated here
    rules: { '@typescript-eslint/no-implied-eval': 'off' },
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
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },

  {
    // Prettier lays the code out; it leaves comments as they are.
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.cjs', '**/*.js'],
    rules: {
      'max-len': [
        'error',
        {
          code: 100,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
    },
  },

  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    rules: {
      eqeqeq: 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      'no-undef': 'off',
      'no-unused-vars': 'error',
    },
  },
)
