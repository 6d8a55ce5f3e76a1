import { subagents } from '@amodal/plugin-subagents'
import { use, type BundleIssue } from '@amodal/sdk'
import type { ChatCompletionRequest } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { desk, given, handler, type Desk } from './support.ts'

const issueLines = (issues: readonly BundleIssue[]): readonly string[] =>
  issues.map(({ severity, file, message }) => `${severity} ${file} ${message}`)
const AGENT = 'amodal/agents/default'
const open = (code: string, json?: object): Promise<Desk> =>
  desk(
    {
      [`${AGENT}/AGENT.md`]: 'You keep the beds.',
      [`${AGENT}/agent.ts`]: code,
      ...(json && { [`${AGENT}/agent.json`]: JSON.stringify(json) }),
      ...handler('bed_status', 'export default () => 1'),
      ...handler('open_valve', 'export default () => 1'),
      'amodal/_lib/rules.ts':
        "export const isPerson = (ctx) => ctx.humanPresent && ctx.userId === 'me'\n",
    },
    { plugins: [use(subagents)] },
  )
const toolNames = ({ tools = [] }: ChatCompletionRequest): readonly string[] =>
  tools.map((tool) => tool.function.name).toSorted()
const namesSeen = async (it: Desk, context: Readonly<Record<string, string>> = {}) => {
  given(await it.face.ask({ text: 'hello', context }))
  const last = it.model.requests.at(-1)
  return last ? toolNames(last.body) : []
}

describe('an agent.ts', () => {
  test('names what its agent may use, and wins over agent.json with a warning', async () => {
    await using it = await open("export default { tools: ['bed_status'] }", {
      tools: ['open_valve'],
      description: 'd',
    })
    expect(issueLines(it.bundle.issues)).toEqual([
      expect.stringContaining(
        'warning amodal/agents/default/agent.json `tools` stands in agent.ts',
      ),
    ])
    expect(await namesSeen(it)).toEqual(['bed_status'])
  })

  test('is asked for its conditions in each turn, and only takes away', async () => {
    await using it = await open(`import { isPerson } from '../../_lib/rules.js'
      export default {
        tools: [
          { name: 'bed_status', conditional: isPerson },
          { name: 'open_valve', conditional: (ctx) => ctx.context.mode === 'repair' },
        ],
      }`)
    expect(issueLines(it.bundle.issues)).toEqual([])
    expect(await namesSeen(it)).toEqual(['bed_status'])
    expect(await namesSeen(it, { mode: 'repair' })).toEqual(['bed_status', 'open_valve'])
    expect(await namesSeen(it, { mode: 'other' })).toEqual(['bed_status'])
    expect((await it.call('open_valve')).status).toBe('error')
  })

  test.each([
    ['throws', "() => { throw new Error('dust') }"],
    ['gives no boolean', '() => 1'],
    ['is asynchronous', 'async () => true'],
  ])('means no by a condition that %s', async (_what, condition) => {
    await using it = await open(
      `export default { tools: ['bed_status', { name: 'open_valve', conditional: ${condition} }] }`,
    )
    expect(await namesSeen(it)).toEqual(['bed_status'])
  })

  test('names what a condition names and nothing has', async () => {
    await using it = await open(
      "export default { tools: [{ name: 'open_valv', conditional: () => true }] }",
    )
    expect(issueLines(it.bundle.issues).join('\n')).toContain('there is no tool "open_valv"')
  })

  test.each([
    ['code that throws', "throw new Error('dust')", 'dust'],
    ['no export', 'export const a = 1', 'it exports no agent'],
    [
      'a condition that is none',
      "export default { tools: [{ name: 'a', conditional: true }] }",
      'must be a function',
    ],
    [
      'an unknown field',
      "export default { tools: [], tool: ['x'] }",
      '`tool` is not a known field',
    ],
    [
      'an unknown field of an entry',
      "export default { tools: [{ name: 'a', conditional: () => true, when: 1 }] }",
      'list of names',
    ],
    [
      'an unknown mode',
      "export default { stores: { beds: { mode: 'all', conditional: () => true } } }",
      '"read" or "rw"',
    ],
  ])('stops the start with %s, and agent.json does not count', async (_what, code, message) => {
    const started = await open(code, { tools: ['open_valve'] }).then(
      () => 'it started',
      (cause: unknown) => String(cause),
    )
    expect(started).toContain('the agent is not started without what limits it')
    expect(started).toContain(message)
  })
})
