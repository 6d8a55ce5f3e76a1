import {
  explain,
  Kernel,
  PromptCompiler,
  PromptSections,
  Tools,
  unwrap,
  use,
  type AgentBundle,
  type KnowledgeDocument,
  type ToolContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { prompt } from '@amodal/plugin-prompt'
import { describe, expect, it, onTestFinished } from 'vitest'
import { knowledge } from '../src/index.ts'

const document = (name: string, body = `About ${name}.`): KnowledgeDocument => ({
  name,
  title: `All of ${name}`,
  body,
  file: `knowledge/${name}.md`,
})

const bundleOf = (all: readonly KnowledgeDocument[]): AgentBundle => ({
  hash: String(all.length),
  root: undefined,
  instructions: undefined,
  skills: [],
  knowledge: all,
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
  manifest: { name: 'ops', version: '1.0.0', models: {}, limits: {}, raw: {} },
})

/** What a kernel of `prompt` and `knowledge` makes of a bundle. */
async function agent(bundle: AgentBundle, config: object = {}) {
  const kernel = unwrap(await Kernel.create([use(prompt), use(knowledge, config)]), explain)
  onTestFinished(async () => void (await kernel.close()))
  const generation = kernel.current()
  const tools = [...generation.registry(Tools).values()].flatMap((source) => source.tools(bundle))
  const sources = new Map(
    [...generation.registry(PromptSections)].map(([key, source]) => [key, { source, plugin: key }]),
  )
  const compile = (list: ToolList) =>
    kernel.scope
      .get(PromptCompiler)
      .render(kernel.scope.get(PromptCompiler).draft(bundle, list, sources), bundle)
  return {
    tools,
    text: compile({ tools, aliases: {} }).text,
    section: compile({ tools, aliases: {} }).sections.find(({ id }) => id === 'knowledge'),
    compile,
  }
}

const call = async (tool: ToolDefinition, args: { readonly name: string }) => {
  const parsed = tool.parse(args)
  // Reading a document asks nothing of its surroundings.
  return parsed.ok ? tool.execute(parsed.value, {} as ToolContext) : parsed.error
}

describe('a small knowledge base', () => {
  it('stands in the prompt from the first turn, each document with its bounds', async () => {
    const { text, tools, section } = await agent(
      bundleOf([document('baselines'), document('team/"on-call"', '## Rota\n\n# Not the end')]),
    )
    expect(text).toContain('# Knowledge\n\nWhat is known')
    expect(text).toContain(
      '<document name="baselines" title="All of baselines">\nAbout baselines.\n</document>\n\n<document name="team/&quot;on-call&quot;" title="All of team/&quot;on-call&quot;">\n## Rota\n\n# Not the end\n</document>',
    )
    expect(tools).toEqual([])
    expect(section).toMatchObject({
      weight: 40,
      category: 'knowledge',
      plugin: 'knowledge',
      parts: [{ name: 'baselines', file: 'knowledge/baselines.md' }, { name: 'team/"on-call"' }],
    })
  })

  it('leaves no section where there is none', async () => {
    expect((await agent(bundleOf([]))).section).toBeUndefined()
  })
})

describe('a large knowledge base', () => {
  const large = bundleOf([
    document('baselines', 'long '.repeat(30_000)),
    document('team/rota', 'long '.repeat(30_000)),
  ])

  it('stands there by title once it exceeds the limit', async () => {
    const { text, tools } = await agent(large)
    expect(text).toContain('- `baselines` – All of baselines\n- `team/rota` – All of team/rota')
    expect(text).toContain('Read a document, or all on a topic, with `load_knowledge`')
    expect(text).not.toContain('long long')
    expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([['load_knowledge', true]])
    expect((await agent(large, { eagerTokens: 100_000 })).tools).toEqual([])
  })

  it('is read with load_knowledge', async () => {
    const {
      tools: [tool],
    } = await agent(large)
    expect(tool?.parameters).toMatchObject({
      properties: { name: { type: 'string' } },
      required: ['name'],
    })
    for (const name of ['team/rota', 'team/rota.md', 'Team/Rota']) {
      expect(await call(tool!, { name })).toMatchObject({
        status: 'success',
        output: expect.stringMatching(/^# All of team\/rota\n\nlong/),
      })
    }
    expect(await call(tool!, { name: 'duty' })).toBe(
      'there is no document "duty"; the documents are: baselines, team/rota; and they are about: baselines, rota, team',
    )
  })

  it('is read by topic: by tag, by folder, by the name as somebody else spells it', async () => {
    const tagged = (name: string, ...tags: readonly string[]) => ({ ...document(name), tags })
    const {
      text,
      tools: [tool],
    } = await agent(
      bundleOf([
        tagged('noise', 'False Positives'),
        tagged('false-positives/scanner'),
        tagged('team/rota', 'team'),
      ]),
      { eagerTokens: 0 },
    )
    expect(text).toContain('- `noise` – All of noise (False Positives)')
    const output =
      '# All of noise\n\nAbout noise.\n\n# All of false-positives/scanner\n\nAbout false-positives/scanner.'
    for (const name of ['false_positives', 'False positives', 'false-positives'])
      expect(await call(tool!, { name })).toEqual({ status: 'success', output })
    expect(await call(tool!, { name: 'Rota' })).toMatchObject({
      output: '# All of team/rota\n\nAbout team/rota.',
    })
  })

  it('is found by its composed name where its file has the decomposed one, and the reverse', async () => {
    const [composed, decomposed] = ['größe', 'größe'.normalize('NFD')]
    for (const [file, name] of [
      [composed, decomposed],
      [decomposed, composed],
    ] as const) {
      const { tools } = await agent(bundleOf([document(file)]), { eagerTokens: 0 })
      expect(await call(tools[0]!, { name })).toMatchObject({ status: 'success' })
    }
  })

  it('does not promise a tool that was taken away', async () => {
    const { compile } = await agent(large)
    const { text } = compile({ tools: [], aliases: {} })
    expect(text).not.toContain('load_knowledge')
    expect(text).toContain('cannot be read here')
  })
})
