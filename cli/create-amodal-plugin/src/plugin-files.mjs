import { constantOf } from './name.mjs'

/** The plugin API that the packages of this version speak; a test compares it with the kernel's. */
const KERNEL_API = 1

/** What it does, as `npm run manifest` writes it: an agent refuses more than that. */
const MANIFEST = {
  slots: {},
  errors: [],
  events: [],
  capabilities: {
    requires: [],
    provides: [],
    decorates: [],
    taps: [],
    adds: ['tools'],
    hosts: [],
    secrets: [],
    files: [],
    processes: [],
    tables: [],
    routes: [],
  },
}

/**
 * The files of a plugin that is a package of its own, by their paths: one tool, with its config,
 * its page, its tests and an agent to try it with.
 *
 * @param {string} name kebab-case
 * @param {string} packageName as npm knows it
 * @param {string} version of the packages that it is made for
 * @returns {Record<string, string>}
 */
export function pluginFiles(name, packageName, version) {
  const constant = constantOf(name)
  return {
    'package.json': json(manifest(name, packageName, version)),
    'tsconfig.json': json(COMPILER),
    'tsconfig.build.json': json({
      extends: './tsconfig.json',
      compilerOptions: { noEmit: false, outDir: 'dist', rootDir: 'src' },
      include: ['src'],
    }),
    '.gitignore': 'node_modules/\ndist/\n.amodal/\n.env\n',
    'README.md': page(packageName, constant),
    'src/index.ts': index(name, constant),
    'src/count.ts': COUNT,
    [`test/${name}.test.ts`]: test(name, constant),
    '.github/workflows/test.yml': TEST,
    '.github/workflows/release.yml': RELEASE,
    'agent/amodal.json': json({ name: `try-${name}`, plugins: ['../dist/index.js'] }),
  }
}

const CHECKOUT = `      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with:
          persist-credentials: false
      - uses: actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0
        with:
          node-version: 24
          package-manager-cache: false
`

const TEST = `name: Test

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
${CHECKOUT}      - run: npm install
      - run: npm test
      - run: npm run build
      - run: npx amodal plugins manifest --check
`

const RELEASE = `# A tag such as v0.2.0 releases what stands there. On npmjs.com, in the settings of the package, name
# this repository and this file as its trusted publisher: then there is no token to keep.
name: Release

on:
  push:
    tags: ['v*']

permissions:
  contents: read
  # signs the provenance, and is who npm trusts
  id-token: write

jobs:
  publish:
    runs-on: ubuntu-latest
    steps:
${CHECKOUT}      - run: npm install -g npm@11
      - run: npm install
      - run: npm test
      - run: npm publish --provenance --access public
`

/** @param {object} value */
const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`

const COMPILER = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    skipLibCheck: true,
    types: ['node'],
    noEmit: true,
  },
  include: ['src', 'test'],
}

/** @param {string} name @param {string} packageName @param {string} version */
const manifest = (name, packageName, version) => ({
  name: packageName,
  version: '0.1.0',
  description: 'Lets an agent count the words of a text.',
  keywords: ['amodal', 'amodal-plugin'],
  license: 'MIT',
  type: 'module',
  engines: { node: '>=22.18' },
  sideEffects: false,
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist', 'src'],
  amodal: { plugin: name, kernel: KERNEL_API, ...MANIFEST },
  scripts: {
    build: 'tsc -p tsconfig.build.json',
    test: 'tsc && vitest run',
    start: 'npm run build && amodal dev --dir agent',
    manifest: 'npm run build && amodal plugins manifest --write',
    prepack: 'npm run build && amodal plugins manifest --check',
  },
  peerDependencies: { '@amodal/sdk': `^${version}`, zod: '^4.6.7' },
  devDependencies: {
    '@amodal/presets': `^${version}`,
    '@amodal/sdk': `^${version}`,
    '@types/node': '^24.0.0',
    amodal: `^${version}`,
    typescript: '^6.0.0',
    vitest: '^5.0.0',
    zod: '^4.6.7',
  },
})

/** @param {string} name @param {string} constant */
const index = (name, constant) => `import { definePlugin, defineTool } from '@amodal/sdk'
import { z } from 'zod'
import { count } from './count.ts'

/** Lets an agent count the words of a text. Say here, in a sentence, what the plugin is for. */
export const ${constant} = definePlugin({
  name: '${name}',
  version: '0.1.0',
  config: z.strictObject({
    most: z.int().min(1).default(10_000).describe('characters of a text; longer ones are refused'),
  }),
  setup({ config, addTool }) {
    addTool(
      defineTool({
        name: 'count_words',
        description: 'Counts the words of a text.',
        readOnly: true,
        input: z.object({ text: z.string().describe('the text') }),
        execute: ({ text }) =>
          Promise.resolve(
            text.length > config.most
              ? { status: 'error', message: \`at most \${config.most} characters can be counted\` }
              : { status: 'success', output: count(text) },
          ),
      }),
    )
  },
})

export default ${constant}
`

const COUNT = `/** The words of a text, and the different ones among them. */
export function count(text: string): { readonly words: number; readonly different: number } {
  const words = text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? []
  return { words: words.length, different: new Set(words).size }
}
`

/** @param {string} name @param {string} constant */
const test = (name, constant) => `import { createAgent } from '@amodal/presets'
import { defineBundle, use } from '@amodal/sdk'
import { pluginContract, reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { ${constant} } from '../src/index.ts'

// What holds for every plugin: it comes and goes without a trace, provides what it says, and more.
pluginContract(${constant})

async function resultOf(text: string, config: { readonly most?: number } = {}): Promise<unknown> {
  const calls = { name: 'count_words', arguments: { text } }
  const model = await startModelServer({ script: reply.toolsThenText(calls, 'Counted.') })
  const agent = await createAgent({
    bundle: defineBundle({ name: 'try-${name}' }),
    provider: 'openai-compatible',
    providerConfig: { baseUrl: model.url, model: 'scripted' },
    plugins: [use(${constant}, config)],
  })
  const session = await agent.createSession()
  let result: unknown
  for await (const event of session.stream('Count.'))
    if (event.type === 'tool_call_result') result = event
  await agent.shutdown()
  await model.close()
  return result
}

test('counts the words of a text, in a turn of an agent', async () => {
  expect(await resultOf('To be or not to be')).toMatchObject({
    status: 'success',
    result: '{"words":6,"different":4}',
  })
})

test('refuses a text that is longer than its config allows', async () => {
  expect(await resultOf('To be or not to be', { most: 5 })).toMatchObject({ status: 'error' })
})
`

/** @param {string} packageName @param {string} constant */
const page = (packageName, constant) => `# ${packageName}

A plugin for Amodal that lets an agent count the words of a text. *Say here what it does, and for whom.*

    npm install ${packageName}

In the \`amodal.json\` of an agent:

\`\`\`json
{ "plugins": [["${packageName}", { "most": 10000 }]] }
\`\`\`

Or in code:

\`\`\`ts
import { ${constant} } from '${packageName}'
import { use } from '@amodal/sdk'

export const entry = use(${constant}, { most: 10_000 })
\`\`\`

| Config | Type | Default | |
|---|---|---|---|
| \`most\` | number | \`10000\` | characters of a text; longer ones are refused |

| | |
|---|---|
| Adds | the tool \`count_words\` |
| Requires, taps, routes, commands | – |
`
