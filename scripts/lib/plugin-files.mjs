import { constantOf } from '../../cli/create-amodal-plugin/src/name.mjs'

/**
 * The files of a new plugin, by their paths in its folder: one prompt section, with its config, its
 * page and a test that runs the contract of all plugins.
 *
 * @param {string} name kebab-case
 * @returns {Record<string, string>}
 */
export function pluginFiles(name) {
  const constant = constantOf(name)
  const title = name.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
  return {
    'package.json': manifest(name),
    'README.md': page(name, constant),
    'src/index.ts': index(name, constant),
    'src/section.ts': section(name, title),
    [`test/${name}.test.ts`]: test(name, constant),
  }
}

/** @param {string} name */
const manifest = (name) =>
  `${JSON.stringify(
    {
      name: `@amodal/plugin-${name}`,
      version: '0.1.0',
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
      dependencies: { '@amodal/sdk': 'workspace:*' },
      peerDependencies: { zod: '^4.6.7' },
      devDependencies: { vitest: 'catalog:', zod: 'catalog:' },
    },
    undefined,
    2,
  )}\n`

/** @param {string} name @param {string} constant */
const index = (name, constant) => `import { definePlugin, PromptSections } from '@amodal/sdk'
import { z } from 'zod'
import { section } from './section.ts'

/** Adds one section to the prompt. Say here, in a sentence, what the plugin is for. */
export const ${constant} = definePlugin({
  name: '${name}',
  version: '0.1.0',
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
