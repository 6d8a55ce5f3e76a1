import { constantOf } from '../../cli/create-amodal-plugin/src/name.mjs'

/**
 * The files of a new plugin, by their paths in its folder: one prompt section, with its config, its
 * page and a test that runs the contract of all plugins.
 *
 * @param {string} name kebab-case
 * @param {string} version of all packages of this workspace
 * @returns {Record<string, string>}
 */
export function pluginFiles(name, version) {
  const constant = constantOf(name)
  const title = name.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
  return {
    'package.json': manifest(name, version),
    'README.md': page(name, constant),
    'src/index.ts': index(name, constant, version),
    'src/section.ts': section(name, title),
    [`test/${name}.test.ts`]: test(name, constant),
  }
}

/** @param {string} name @param {string} version */
const manifest = (name, version) =>
  `${JSON.stringify(
    {
      name: `@amodal/plugin-${name}`,
      version,
      description: 'Adds one section to the prompt.',
      keywords: ['amodal', 'amodal-plugin'],
      license: 'MIT',
      type: 'module',
      engines: { node: '>=22.18' },
      sideEffects: false,
      exports: {
        '.': {
          '@amodal/source': './src/index.ts',
          types: './dist/types/index.d.ts',
          default: './dist/index.js',
        },
      },
      files: ['dist', 'src', '!dist/.built'],
      publishConfig: { access: 'public' },
      amodal: {
        plugin: name,
        kernel: 1,
        capabilities: {
          requires: [],
          provides: [],
          decorates: [],
          taps: [],
          adds: ['prompt-sections'],
          hosts: [],
          secrets: [],
          files: [],
          processes: [],
          tables: [],
          routes: [],
        },
        group: 'other',
        optIn: true,
        slots: {},
        errors: [],
        events: [],
      },
      dependencies: { '@amodal/sdk': 'workspace:*' },
      peerDependencies: { zod: '^4.6.7' },
      devDependencies: { vitest: 'catalog:', zod: 'catalog:' },
    },
    undefined,
    2,
  )}\n`

/** @param {string} name @param {string} constant @param {string} version */
const index = (
  name,
  constant,
  version,
) => `import { definePlugin, PromptSections } from '@amodal/sdk'
import { z } from 'zod'
import { section } from './section.ts'

/** Adds one section to the prompt. Say here, in a sentence, what the plugin is for. */
export const ${constant} = definePlugin({
  name: '${name}',
  version: '${version}',
  config: z.object({
    text: z.string().default('').describe('Shown to the model in every turn; empty shows nothing.'),
  }),
  setup({ config, add }) {
    add(PromptSections, '${name}', { sections: () => section(config.text) })
  },
})

export default ${constant}
`

/** @param {string} name @param {string} title */
const section = (name, title) => `import type { PromptSection } from '@amodal/sdk'

/** The section that shows \`text\`; none where there is nothing to show. */
export function section(text: string): readonly PromptSection[] {
  if (text === '') return []
  return [{ id: '${name}', title: '${title}', body: text, weight: 70, category: 'other' }]
}
`

/** @param {string} name @param {string} constant */
const test = (name, constant) => `import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { ${constant} } from '../src/index.ts'
import { section } from '../src/section.ts'

pluginContract(${constant}, { config: { text: 'Answer in one sentence.' } })

test('shows its text to the model', () => {
  expect(section('Answer in one sentence.')).toMatchObject([{ id: '${name}', body: 'Answer in one sentence.' }])
})

test('shows nothing where there is no text', () => {
  expect(section('')).toEqual([])
})
`

/** @param {string} name @param {string} constant */
const page = (name, constant) => `# ${name}

Adds one section to the prompt. *Say here what the plugin does, and for whom.*

\`\`\`ts
import { ${constant} } from '@amodal/plugin-${name}'
import { use } from '@amodal/sdk'

export const entry = use(${constant}, { text: 'Answer in one sentence.' })
\`\`\`

| Config | Type | Default | |
|---|---|---|---|
| \`text\` | string | \`""\` | shown to the model in every turn; empty shows nothing |

| | |
|---|---|
| Requires | – |
| Provides | – |
| Taps | – |
| Adds | one entry to \`PromptSections\` |
| Tools, routes, commands | – |
`
