// The layers: examples, tests → presets → plugins → sdk → kernel. Run by tests/boundaries.test.ts,
// which also plants a violation of each rule and sees it caught. Packages import each other by
// name; the resolver follows pnpm's links to the real files, so every path below is one inside this
// repository.

const FRONT_DOOR =
  '^((kernel|presets|plugins/[^/]+)/src/(cli/)?|sdk/src/((testing|client|database|files|models|loop|wire|queue|stores|connections|inspection|packages|data)/)?)(index|tokens|zod)\\.ts$|^sdk/react/src/(index\\.ts|widget\\.ts|style\\.d\\.ts)$|^sdk/widget/src/(index|server)\\.ts$'
const TEST = '(^|/)test/|\\.test\\.ts$'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const only = (name, pkg, where, comment) =>
  rule(name, comment, { pathNot: where }, { path: `node_modules/${pkg}(/|$)` })

module.exports = {
  forbidden: [
    rule(
      'no-cycles',
      'Two modules that need each other are one module, or miss a third: for what they share, or for what one asks of the other.',
      {},
      { circular: true },
    ),
    rule(
      'no-unresolvable',
      'An import that does not resolve is one that the package did not declare.',
      {},
      { couldNotResolve: true, pathNot: '^server-only$' }, // Next.js has it in its compiler
    ),

    rule(
      'kernel-is-the-bottom',
      'The kernel knows nothing above it.',
      { path: '^kernel/' },
      { path: '^(sdk|plugins|presets|examples|tests|scripts)/' },
    ),
    rule(
      'kernel-stands-alone',
      'The kernel runs on tapable, awilix and zod.',
      { path: '^kernel/src/', pathNot: TEST },
      { path: 'node_modules/', pathNot: 'node_modules/(tapable|awilix|zod)/' },
    ),
    rule(
      'sdk-sees-only-kernel',
      'The sdk is what plugins stand on, so it cannot stand on them.',
      { path: '^sdk/' },
      { path: '^(plugins|presets|examples|tests|scripts)/' },
    ),
    rule(
      'react-sees-only-the-client',
      'What runs in a browser knows a server by its HTTP API.',
      { path: '^sdk/(react|widget)/src/' },
      { path: '^(kernel|sdk/src)/', pathNot: '^sdk/src/client/index\\.ts$' },
    ),
    rule(
      'client-stands-without-react',
      'Clients of every kind stand on it.',
      { path: '^sdk/src/' },
      { path: '^sdk/(react|widget)/|node_modules/react' },
    ),
    rule(
      'plugins-see-only-sdk',
      'What a plugin needs of the kernel, the sdk exports.',
      { path: '^plugins/' },
      { path: '^(kernel|presets|examples|tests|scripts)/', pathNot: '^tests/support/' },
    ),
    rule(
      'plugins-share-only-tokens',
      'A plugin meets another through a slot, never through its code.',
      { path: '^plugins/([^/]+)/', pathNot: TEST },
      { path: '^plugins/(?!$1/)', pathNot: '^plugins/[^/]+/src/tokens\\.ts$' },
    ),
    rule(
      'plugin-tests-use-front-doors',
      'A test may list other plugins, and may not look into them.',
      { path: '^plugins/([^/]+)/.*(test/|\\.test\\.ts$)' },
      { path: '^plugins/(?!$1/)', pathNot: FRONT_DOOR },
    ),
    rule(
      'presets-below-examples',
      'A preset is used by examples and tests, not the other way round.',
      { path: '^presets/' },
      { path: '^(cli|examples|tests|scripts)/' },
    ),
    rule(
      'examples-stand-alone',
      'An example is what a reader can copy.',
      { path: '^examples/' },
      { path: '^(tests|scripts)/' },
    ),

    rule(
      'front-doors-only',
      'Another package is entered through its index or its tokens.',
      { path: '^(sdk|presets|cli|examples|tests)/' },
      { path: '^(kernel|sdk|presets|plugins)/', pathNot: [FRONT_DOOR, '^$1/'] },
    ),
    rule(
      'plugins-use-front-doors',
      'The sdk is entered through its index, its client or its test kits.',
      { path: '^plugins/' },
      { path: '^sdk/', pathNot: FRONT_DOOR },
    ),
    rule(
      'test-kits-only-in-tests',
      'The kits bring vitest and loopback servers with them.',
      { path: '^(kernel|plugins|presets)/', pathNot: TEST },
      { path: '^sdk/src/testing/' },
    ),

    only(
      'tapable-in-one-place',
      'tapable',
      '^kernel/src/hooks/',
      'Hooks are seen only through their facade.',
    ),
    only(
      'awilix-in-one-file',
      'awilix',
      '^kernel/src/container\\.ts$',
      'Lifetimes are seen only through Scope.',
    ),
    only(
      'zod-3-in-one-place',
      'zod-to-json-schema',
      '^sdk/src/',
      'It is for the Zod 3 schemas of plugin authors; ours have z.toJSONSchema.',
    ),
    only(
      'no-second-loop',
      'ai',
      '^(examples|tests)/',
      'A turn drives the provider itself; the loop of the AI SDK is only measured against.',
    ),
  ],
  options: {
    tsPreCompilationDeps: true, // type-only imports are dependencies too
    doNotFollow: { path: 'node_modules' },
    // Pages of an agent import what their frame has.
    exclude: {
      path: '(^|/)(dist|built|\\.amodal|\\.next|third-party-plugin)/|^examples/[^/]+/agent/pages/',
    },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@amodal/source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
}
