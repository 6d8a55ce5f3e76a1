import { defineConfig } from 'oxfmt'

export default defineConfig({
  printWidth: 100,
  semi: false,
  singleQuote: true,
  sortPackageJson: false,
  ignorePatterns: [
    // its tables are written by tools, and its code blocks are checked by tests
    '*.md',
    // files that a tool writes
    'pnpm-lock.yaml',
    'cli/schemas/',
    'plugins/pages/built/',
    'plugins/studio/built/',
    'scripts/lib/locks/',
    'tests/bench/BASELINE.json',
    'tests/supply-chain/*.json',
    // texts whose layout is what a test looks at
    'fixtures/',
  ],
})
