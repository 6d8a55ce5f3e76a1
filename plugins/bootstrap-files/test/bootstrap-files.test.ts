import { prompt } from '@amodal/plugin-prompt'
import {
  explain,
  hooksOf,
  Kernel,
  PromptCompiler,
  PromptSections,
  unwrap,
  use,
  type AgentBundle,
  type BundleFile,
  type BundleIssue,
} from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { bootstrapFiles } from '../src/index.ts'

pluginContract(bootstrapFiles, { config: { maxChars: 1_000 } })

const bundleOf = (files: readonly BundleFile[]): AgentBundle => ({
  hash: JSON.stringify(files),
  root: undefined,
  instructions: undefined,
  skills: [],
  knowledge: [],
  stores: [],
  files,
  references: [],
  issues: [],
  parts: {},
  manifest: { name: 'ops', version: '1.0.0', models: {}, limits: {}, raw: {} },
})

async function made(files: readonly BundleFile[], config: object = {}) {
  const kernel = unwrap(await Kernel.create([use(prompt), use(bootstrapFiles, config)]), explain)
  onTestFinished(async () => void (await kernel.close()))
  const bundle = bundleOf(files)
  const sources = new Map(
    [...kernel.current().registry(PromptSections)].map(([key, source]) => [
      key,
      { source, plugin: key },
    ]),
  )
  const compiler = kernel.scope.get(PromptCompiler)
  const issues: BundleIssue[] = []
  await hooksOf(kernel.current()).bundle.check.call(bundle, issues)
  return {
    ...compiler.render(compiler.draft(bundle, { tools: [], aliases: {} }, sources), bundle),
    issues,
  }
}

test('stand in the prompt in one order, each with its name; empty ones and other files do not', async () => {
  const { text, sections, issues } = await made([
    { path: 'SOUL.md', text: '# Soul\nKind.\n' },
    { path: 'AGENTS.md', text: 'Work well.' },
    { path: 'USER.md', text: ' \n' },
    { path: 'knowledge/AGENTS.md', text: 'not this' },
  ])
  expect(text).toContain(
    '<bootstrap-files>\n<file path="AGENTS.md">\nWork well.\n</file>\n\n<file path="SOUL.md">\n# Soul\nKind.\n</file>\n</bootstrap-files>',
  )
  expect(text).not.toContain('not this')
  expect(text.indexOf('<bootstrap-files>')).toBeGreaterThan(text.indexOf('# Instructions'))
  expect(sections.find(({ id }) => id === 'bootstrap-files')).toMatchObject({
    plugin: 'bootstrap-files',
    parts: [{ name: 'AGENTS.md', file: 'AGENTS.md' }, { file: 'SOUL.md' }],
  })
  expect(issues).toEqual([])
})

test('leave no section where there are none', async () => {
  expect((await made([])).text).not.toContain('bootstrap')
})

test('are left out and named where one is too long, or all are together', async () => {
  const long = await made([
    { path: 'AGENTS.md', text: 'a'.repeat(50_001) },
    { path: 'SOUL.md', text: 'Kind.' },
  ])
  expect(long.issues).toEqual([
    {
      severity: 'error',
      code: 'TOO_LARGE',
      file: 'AGENTS.md',
      line: 1,
      message: 'the file has 50001 characters, more than the 50000 allowed, and is left out',
      fix: expect.stringContaining('maxChars'),
    },
  ])
  expect(long.text).toContain('Kind.')
  const many = await made(
    ['AGENTS.md', 'SOUL.md', 'USER.md'].map((path) => ({ path, text: path.repeat(4) })),
    { maxTotalChars: 70 },
  )
  expect(many.issues).toMatchObject([
    { file: 'USER.md', message: expect.stringContaining('more than the 70 allowed together') },
  ])
  expect(many.text).toContain('SOUL.mdSOUL.md')
  expect(many.text).not.toContain('USER.md')
})
