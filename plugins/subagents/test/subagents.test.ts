import loop from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { type AgentBundle, startAgent, use } from '@amodal/sdk'
import { bundlePlugin, pluginContract } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { subagents } from '../src/index.ts'

pluginContract(subagents, { config: { parallel: 4 }, with: [use(loop), use(sessionsMemory)] })

/** The bundle that an agent makes of these files. */
async function load(files: Readonly<Record<string, string>>): Promise<AgentBundle> {
  const bundle: AgentBundle = {
    hash: 'test',
    root: undefined,
    instructions: undefined,
    skills: [],
    knowledge: [],
    stores: [],
    references: [],
    issues: [],
    parts: {},
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
    manifest: { name: 'test', version: '1.0.0', models: {}, limits: {}, raw: {} },
  }
  const source = bundlePlugin(bundle)
  const started = await startAgent(
    [use(loop), use(sessionsMemory), use(source), use(subagents)],
    {},
  )
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  onTestFinished(async () => {
    await started.value.close()
  })
  const loaded = started.value.agent.bundle()
  if (!loaded) throw new Error('there is no bundle')
  return loaded
}

const agentsOf = ({ parts }: AgentBundle): unknown => parts['subagents']
const told = ({ issues }: AgentBundle): readonly string[] =>
  issues.map(
    ({ severity, file = '', line = 0, message }) => `${severity} ${file}:${line} ${message}`,
  )

describe('an AGENT.md', () => {
  const read = {
    name: 'checker',
    displayName: 'Compliance Checker',
    description: 'Checks compliance.',
    prompt: 'You are a specialist.\n\n## Steps\n\n1. Look',
    file: 'agents/checker/AGENT.md',
    tools: ['dispatch_task'],
    maxDepth: 2,
    maxToolCalls: 15,
    timeout: 60,
    modelTier: 'advanced',
    targetOutputMin: 200,
    targetOutputMax: 500,
  }
  const prompt = 'You are a specialist.\n\n## Steps\n\n1. Look'

  test('has its fields under headings', async () => {
    const bundle = await load({
      'agents/checker/AGENT.md': `# Agent: Compliance Checker\n\nChecks compliance.\n\n## Config\n\ntools: [dispatch_task]\nmaxDepth: 2\nmaxToolCalls: 15\ntimeout: 60\nmodelTier: advanced\ntargetOutputMin: 200\ntargetOutputMax: 500\n\n## Prompt\n\n${prompt}\n`,
    })
    expect(told(bundle)).toEqual([])
    expect(agentsOf(bundle)).toEqual([read])
  })

  test('has them in its frontmatter', async () => {
    const bundle = await load({
      'agents/checker/AGENT.md': `---\r\ndisplayName: Compliance Checker\r\ndescription: Checks compliance.\r\ntools:\r\n  - dispatch_task\r\nmaxDepth: 2\r\nmaxToolCalls: 15\r\ntimeout: 60\r\nmodelTier: advanced\r\ntargetOutputMax: 500\r\n---\r\n${prompt.replaceAll('\n', '\r\n')}`,
    })
    expect(told(bundle)).toEqual([])
    expect(agentsOf(bundle)).toEqual([read])
  })

  test('needs none of them', async () => {
    expect(agentsOf(await load({ 'agents/lookup/AGENT.md': 'Look vendors up.' }))).toEqual([
      {
        name: 'lookup',
        displayName: 'lookup',
        description: 'lookup',
        prompt: 'Look vendors up.',
        file: 'agents/lookup/AGENT.md',
        maxDepth: 1,
        maxToolCalls: 10,
        timeout: 20,
        targetOutputMin: 200,
        targetOutputMax: 400,
        modelTier: 'explore',
      },
    ])
  })

  test('takes the spelling of older agents, and needs max_tool_rounds where it is strict', async () => {
    const bundle = await load({
      'agents/careful/AGENT.md':
        '---\nmax_tool_rounds: 3\ntoken_budget: 5000\nmax_cost: 0.1\nmax_tool_calls: 7\nmutable:\n  topic: none\n---\nLook.',
      'agents/careless/AGENT.md': '---\ntimeout: 30\nstrict: true\n---\nLook.',
    })
    expect(agentsOf(bundle)).toMatchObject([
      { name: 'careful', maxToolRounds: 3, maxTokens: 5_000, maxCost: 0.1, maxToolCalls: 7 },
    ])
    expect(told(bundle)).toEqual([
      'error agents/careless/AGENT.md:3 an agent that is `strict` needs `max_tool_rounds`, and is left out',
    ])
  })

  test('in the place of explore is its prompt as it stands', async () => {
    const text = '# Explore\n\n## Config\n\nmaxDepth: 2\n\n## Prompt\n\nLook.'
    expect(agentsOf(await load({ 'agents/explore.md': text }))).toMatchObject([
      { name: 'explore', prompt: text, maxDepth: 1, modelTier: 'explore' },
    ])
  })

  test('in a folder wins over a flat file', async () => {
    const bundle = await load({
      'agents/a.md': 'flat',
      'agents/a/AGENT.md': 'folder',
      'agents/main.md': 'not mine',
      'agents/README.md': 'nor this',
    })
    expect(agentsOf(bundle)).toMatchObject([{ name: 'a', prompt: 'folder' }])
    expect(told(bundle)).toEqual([
      'warning agents/a.md:1 the agent "a" is there as a folder, which counts',
    ])
  })

  test.each([
    'max_tokens: 100',
    'temperature: 0.1',
    'max_history: 3',
    'staleness_timeout: 60',
    'web_search: true',
    'model: gpt-4o',
    'max_turns: 3',
  ])('with a name that means something else here is left out: %s', async (field) => {
    const bundle = await load({ 'agents/a/AGENT.md': `---\ntimeout: 30\n${field}\n---\nLook.` })
    expect(agentsOf(bundle)).toEqual([])
    expect(bundle.issues).toMatchObject([
      {
        severity: 'error',
        file: 'agents/a/AGENT.md',
        line: 3,
        fix: expect.stringMatching(/^(?:write|name|tell)/) as string,
      },
    ])
  })

  test('with a protection that nobody reads is left out', async () => {
    const bundle = await load({
      'agents/a/AGENT.md': '---\ntimeout: 30\ndisallowedTools: [request]\n---\nLook.',
    })
    expect(agentsOf(bundle)).toEqual([])
    expect(told(bundle)).toEqual([
      'error agents/a/AGENT.md:3 "disallowedTools" is no field of an agent',
    ])
  })

  test('with a mistake is named with its line, and the rest works', async () => {
    const bundle = await load({
      'agents/good/AGENT.md': 'Good.',
      'agents/deep/AGENT.md': '---\nmaxDepth: 4\n---\nDeep.',
      'agents/bad/AGENT.md':
        '---\nmaxDepth: none\ntimeout: soon\nmaxToolCall: 3\ntools: [dispatch_tsk, dispatch]\n---\nBad.',
      'agents/open/AGENT.md': '---\nmaxDepth: 1',
      'agents/none/AGENT.md': '---\nmaxDepth: 1\n---\n',
      'agents/yaml/AGENT.md':
        '# Agent: Y\n\n## Config\n\ntimeout: 30\ndescription: a: b\n\n## Prompt\n\nY',
      'agents/bad name/AGENT.md': 'x',
    })
    expect(
      (agentsOf(bundle) as readonly { readonly name: string }[]).map(({ name }) => name),
    ).toEqual(['good', 'bad'])
    expect(told(bundle)).toEqual([
      'error agents/bad name/AGENT.md:1 "bad name" is no name for an agent: letters, digits, "_" and "-", at most 64',
      'error agents/bad/AGENT.md:2 maxDepth must be a whole number from 1 to 3, the levels of sub-agents that there are at most; it is left out',
      'error agents/bad/AGENT.md:3 timeout must be a whole number of seconds from 5 to 600; it is left out',
      'warning agents/bad/AGENT.md:4 "maxToolCall" is no field of an agent; did you mean `maxToolCalls`?',
      'error agents/deep/AGENT.md:2 maxDepth must be a whole number from 1 to 3, the levels of sub-agents that there are at most; the agent is left out',
      'error agents/none/AGENT.md:1 the agent "none" has no prompt and is left out',
      'error agents/open/AGENT.md:1 the frontmatter is not closed',
      expect.stringContaining('error agents/yaml/AGENT.md:6 the fields are no valid YAML'),
      'warning agents/bad/AGENT.md:5 there is no tool "dispatch_tsk" for the agent "bad"; did you mean "dispatch_task"?',
      'warning agents/bad/AGENT.md:5 the agent "bad" names dispatch_task and may have no sub-agents',
    ])
  })
})
