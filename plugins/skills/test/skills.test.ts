import {
  explain,
  Kernel,
  PromptCompiler,
  PromptSections,
  Tools,
  unwrap,
  use,
  type AgentBundle,
  type Skill,
  type ToolContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { prompt } from '@amodal/plugin-prompt'
import { describe, expect, it, onTestFinished } from 'vitest'
import { skills } from '../src/index.ts'

const skill = (name: string, steps = '## Steps\n1. Look'): Skill => ({
  name,
  description: `Handles ${name}.`,
  trigger: `When ${name} happens`,
  body: steps,
  file: `skills/${name}/SKILL.md`,
})

const bundleOf = (all: readonly Skill[]): AgentBundle => ({
  hash: String(all.length),
  root: undefined,
  instructions: undefined,
  skills: all,
  knowledge: [],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
  manifest: { name: 'ops', version: '1.0.0', models: {}, limits: {}, raw: {} },
})

/** What a kernel of `prompt` and `skills` makes of a bundle. */
async function agent(bundle: AgentBundle, config: object = {}) {
  const kernel = unwrap(await Kernel.create([use(prompt), use(skills, config)]), explain)
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
    section: compile({ tools, aliases: {} }).sections.find(({ id }) => id === 'skills'),
    compile,
  }
}

const call = async (tool: ToolDefinition, args: { readonly name: string }) => {
  const parsed = tool.parse(args)
  // Reading a skill asks nothing of its surroundings.
  return parsed.ok ? tool.execute(parsed.value, {} as ToolContext) : parsed.error
}

describe('few skills', () => {
  it('stand in the prompt in full, each with its bounds', async () => {
    const { text, tools, section } = await agent(
      bundleOf([skill('triage', '## Steps\n\n1. Look\n\n# Not the end'), skill('deploy "x"')]),
    )
    expect(text).toContain('# Skills\n\nEach skill is')
    expect(text).toContain(
      '<skill name="triage">\nHandles triage.\n\nTrigger: When triage happens\n\n## Steps\n\n1. Look\n\n# Not the end\n</skill>\n\n<skill name="deploy &quot;x&quot;">',
    )
    expect(tools).toEqual([])
    expect(section).toMatchObject({
      weight: 30,
      category: 'skill',
      plugin: 'skills',
      parts: [{ name: 'triage', file: 'skills/triage/SKILL.md' }, { name: 'deploy "x"' }],
    })
  })

  it('leave no section where there are none', async () => {
    expect((await agent(bundleOf([]))).section).toBeUndefined()
  })
})

describe('many skills', () => {
  const many = bundleOf([
    skill('Incident Response', `## Steps\n${'long '.repeat(2_000)}`),
    skill('Deploy Check', `## Steps\n${'long '.repeat(5_000)}`),
  ])

  it('stand there by name, purpose and trigger once they exceed the budget', async () => {
    const { text, tools, section } = await agent(many)
    expect(text).toContain(
      '- **Incident Response** – Handles Incident Response. – Trigger: When Incident Response happens\n- **Deploy Check** –',
    )
    expect(text).not.toContain('long long')
    expect(text).toContain('Read a skill with `activate_skill`')
    expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([['activate_skill', true]])
    expect(section?.parts?.reduce((sum, { chars }) => sum + chars, 0)).toBeLessThan(300)
    expect((await agent(many, { inlineTokens: 20_000 })).tools).toEqual([])
    expect((await agent(bundleOf([skill('a')]), { inlineTokens: 0 })).tools).toHaveLength(1)
  })

  it('are read with activate_skill, which tells the client', async () => {
    const {
      tools: [tool],
    } = await agent(many)
    expect(tool?.parameters).toMatchObject({
      properties: { name: { enum: ['Incident Response', 'Deploy Check'] } },
      required: ['name'],
    })
    for (const name of ['Incident Response', 'incident-response', ' INCIDENT_response ']) {
      expect(await call(tool!, { name })).toMatchObject({
        status: 'success',
        output: expect.stringMatching(
          /^# Incident Response\n\nHandles Incident Response\.\n\nTrigger: [^]*## Steps\nlong/,
        ),
        events: [{ type: 'skill_activated', skill_name: 'Incident Response' }],
      })
    }
  })

  it('answer a wrong name with the right ones', async () => {
    const {
      tools: [tool],
    } = await agent(many)
    expect(await call(tool!, { name: 'Incidents' })).toBe(
      'there is no skill "Incidents"; the skills are: Incident Response, Deploy Check',
    )
    expect(tool!.parse({})).toMatchObject({
      ok: false,
      error: expect.stringContaining('there is no skill null'),
    })
  })

  it('do not promise a tool that was taken away', async () => {
    const { compile } = await agent(many)
    const { text } = compile({ tools: [], aliases: {} })
    expect(text).not.toContain('activate_skill')
    expect(text).toContain('cannot be read here')
  })
})
