import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { subagents } from '@amodal/plugin-subagents'
import { use, type BundleIssue } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { customTools } from '../src/custom-tool.ts'
import { desk, given, handler, said, startApi } from './support.ts'

const issueLines = (issues: readonly BundleIssue[]): readonly string[] =>
  issues.map(({ severity, file, message, fix }) => `${severity} ${file} ${message} — ${fix}`)

interface Parts {
  readonly exposure?: object
  readonly callable?: boolean
  readonly more?: string
  readonly handle?: string
  readonly id?: string
  readonly base?: object
}

/** The text of a `tool.ts` for the tool `water_bed`. */
const tool = ({
  exposure = { kind: 'open' },
  callable = true,
  more = '',
  handle = 'return { bed: ctx.input.bed }',
  id = 'water_bed',
  base = {},
}: Parts = {}): string => `
interface Input { readonly bed: string }
export default {
  id: '${id}',
  exposure: ${JSON.stringify(exposure)},
  llm_callable: ${callable},
  base: ${JSON.stringify({
    name: 'water_bed',
    description: 'Waters a bed.',
    parametersJsonSchema: {
      type: 'object',
      properties: { bed: { type: 'string' } },
      required: ['bed'],
    },
    ...base,
  })},
  ${more}
  async handle(ctx: { readonly input: Input } & Record<string, any>) { ${handle} },
}
`
const FILE = 'amodal/tools/watering/tool.ts'

describe('a tool that is a tool.ts', () => {
  test('has its name, its parameters and its arguments as `ctx.input`', async () => {
    await using it = await desk({ [FILE]: tool() })
    expect(issueLines(it.bundle.issues)).toEqual([])
    expect(customTools(it.bundle)).toMatchObject([
      { name: 'water_bed', description: 'Waters a bed.', tier: 'allow', file: FILE },
    ])
    expect(said(await it.call('water_bed', { bed: 'b1' }))).toBe('{"bed":"b1"}')
    expect(said(await it.call('water_bed', {}))).toContain('bed')
  })

  test('imports shared code, and reaches connections', async () => {
    await using api = await startApi(({ url }) => ({ url }))
    await using it = await desk(
      {
        [FILE]: `import { path } from '../../_lib/paths.js'\n${tool({
          handle: "return ctx.request('farm', path(ctx.input.bed))",
        })}`,
        'amodal/_lib/paths.ts': 'export const path = (bed: string): string => `/beds/${bed}`\n',
      },
      { api: api.url },
    )
    expect(issueLines(it.bundle.issues)).toEqual([])
    expect(said(await it.call('water_bed', { bed: 'b1' }))).toContain('/beds/b1')
  })

  test('asks a person with its prompt', async () => {
    await using it = await desk({
      [FILE]: tool({ exposure: { kind: 'requires-confirmation', prompt: 'Open the valve?' } }),
    })
    const asked = await it.call('water_bed', { bed: 'b1' })
    expect(asked.status).toBe('waits')
    expect(JSON.stringify(asked.pending)).toContain('Open the valve?')
    expect(said(await it.approve(asked))).toBe('{"bed":"b1"}')
  })

  test.each([
    ['operator-gated', { exposure: { kind: 'operator-gated' } }],
    ['not for models', { callable: false }],
  ])('is run by no model where it is %s, not by a tool either', async (_what, parts) => {
    await using it = await desk({
      [FILE]: tool(parts),
      ...handler('caller', "export default (_, ctx) => ctx.callTool('water_bed', { bed: 'b1' })", {
        uses: { tools: ['water_bed'] },
      }),
    })
    expect((await it.call('water_bed', { bed: 'b1' })).status).toBe('error')
    const nested = await it.call('caller')
    expect(nested.status).toBe('error')
    expect(said(nested)).toMatch(/a person runs it|can call no tool/)
  })

  test.each([
    ['an unknown field', tool({ more: 'rateLimit: 3,' }), '`rateLimit` is not a known field'],
    ['an unknown field of base', tool({ base: { strict: true } }), '`base.strict`'],
    [
      'a prompt of an open one',
      tool({ exposure: { kind: 'open', prompt: 'x' } }),
      'exposure.prompt',
    ],
    [
      'an unknown kind',
      tool({ exposure: { kind: 'public' } }),
      'use one of: open, operator-gated, requires-confirmation',
    ],
    ['another name', tool({ id: 'water_beds' }), '`base.name`'],
    ['no name', tool({ id: 'Water', base: { name: 'Water' } }), '`id`'],
    ['no schema', tool({ base: { parametersJsonSchema: undefined } }), 'parametersJsonSchema'],
    ['code that throws', 'throw new Error("dry")', 'dry'],
    ['no handle', 'export default { id: "a" }', 'it exports no tool'],
  ])('is left out with %s', async (_what, text, message) => {
    await using it = await desk({ [FILE]: text })
    expect(customTools(it.bundle)).toEqual([])
    const [first, ...others] = issueLines(it.bundle.issues)
    expect(first).toMatch(/^error amodal\/tools\/watering\/tool\.ts/)
    expect(first).toContain(message)
    expect(others).toEqual([])
  })

  test('stands beside no tool.json', async () => {
    await using it = await desk({
      [FILE]: tool(),
      'amodal/tools/watering/tool.json': '{ "description": "Waters." }',
      'amodal/tools/watering/handler.ts': 'export default () => 1',
    })
    expect(customTools(it.bundle)).toEqual([])
    expect(issueLines(it.bundle.issues)[0]).toContain('this tool stands in')
  })
})

describe('the context of a handler', () => {
  const calling = (code: string, uses?: object): Readonly<Record<string, string>> => ({
    ...handler('outer', `export default async (params, ctx) => { ${code} }`, uses ? { uses } : {}),
    ...handler('inner', 'export default (params) => ({ got: params })', {
      confirm: 'never',
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
    }),
    ...handler('other', 'export default () => 1'),
  })

  test('calls the tools that it names, and no others', async () => {
    const code = `
      const own = await ctx.callTool('inner', { n: 1 })
      const refused = []
      for (const call of [() => ctx.callTool('other'), () => ctx.tool('other')])
        await call().catch((error) => refused.push(error.message))
      return { own, refused }`
    await using it = await desk(calling(code, { tools: ['inner'] }))
    const output = said(await it.call('outer'))
    expect(output).toContain('{"got":{"n":1}}')
    expect(output.match(/does not name the tool \\"other\\"/g)).toHaveLength(2)
  })

  test('has `callTool` only with `uses`, and `callSubagent` only with agents', async () => {
    const code = 'return [typeof ctx.callTool, typeof ctx.callSubagent]'
    await using none = await desk(calling(code))
    expect(said(await none.call('outer'))).toBe('{"result":["undefined","undefined"]}')
    await using empty = await desk(calling(code, {}))
    expect(said(await empty.call('outer'))).toBe('{"result":["function","undefined"]}')
  })

  test('has the last text of a sub-agent that it names, and of no other', async () => {
    await using it = await desk(
      {
        ...handler(
          'names',
          `export default async (_, ctx) => {
            const other = await ctx.callSubagent('zoologist', 'x').catch((error) => error.message)
            return { text: await ctx.callSubagent('botanist', 'What grows?', { bed: 'b1' }), other }
          }`,
          { uses: { subagents: ['botanist'] } },
        ),
        'agents/botanist/AGENT.md':
          '# Agent: botanist\n\n## Config\n\ndescription: d\n\n## Prompt\n\nYou name plants.',
        'agents/zoologist/AGENT.md':
          '# Agent: zoologist\n\n## Config\n\ndescription: d\n\n## Prompt\n\nYou name animals.',
      },
      { plugins: [use(subagents)] },
    )
    expect(issueLines(it.bundle.issues)).toEqual([])
    it.model.play(({ messages }) => {
      const text = JSON.stringify(messages)
      if (text.includes('What grows?')) return reply.text(`thyme in ${/b\d/.exec(text)?.[0]}`)
      return messages.at(-1)?.role === 'tool'
        ? reply.text('Done.')
        : reply.toolCalls({ name: 'names', arguments: {} })
    })
    const turn = given(await it.face.ask({ text: 'Go' }))
    const { entries } = given(await it.face.session(turn.session))
    const outcomes = entries.flatMap((one) => (one.kind === 'tool_outcome' ? [one.output] : []))
    expect(outcomes).toEqual([
      { text: 'thyme in b1', other: expect.stringContaining('does not name the agent') as string },
    ])
    const spent = entries.flatMap((one) => (one.kind === 'note' && one.spent ? [one.spent] : []))
    expect(spent).toMatchObject([{ model: { provider: 'subagent', model: 'botanist' } }])
    expect(entries.filter(({ kind }) => kind === 'child_opened')).toHaveLength(1)
  })

  test('has variables as a function and as members', async () => {
    await using it = await desk(
      handler(
        'reads',
        "export default (_, ctx) => [ctx.env('FARM') === 'f1', ctx.env.FARM === 'f1', ctx.env.PATH]",
        {
          env: ['FARM'],
        },
      ),
      { env: { FARM: 'f1' } },
    )
    expect(said(await it.call('reads'))).toBe('{"result":[true,true,null]}')
  })

  test('shows reasoning that is no part of the answer', async () => {
    await using it = await desk(
      handler('thinks', "export default (_, ctx) => { ctx.emitReasoning('It is dry.'); return 1 }"),
    )
    const called = await it.call('thinks')
    expect(called.events).toContainEqual({ type: 'reasoning_delta', content: 'It is dry.\n' })
    expect(said(called)).toBe('{"result":1}')
  })

  test('reads files of the folder, and none that are hidden or elsewhere', async () => {
    const paths = [
      '../x',
      '/etc/passwd',
      '.env',
      'a/../b',
      'knowledge/.x',
      'link',
      'secret',
      'none',
    ]
    await using it = await desk({
      ...handler(
        'reads',
        `export default async (_, ctx) => {
          const all = [await ctx.fs.readRepoFile('amodal/knowledge/soil.md')]
          for (const path of ${JSON.stringify(paths)})
            all.push(await ctx.fs.readRepoFile(path).catch((error) => error.code))
          return all
        }`,
      ),
      'amodal/knowledge/soil.md': 'Loam.',
      '.env': 'A=1',
    })
    await symlink('/etc/hostname', join(it.dir, 'link'))
    await symlink(join(it.dir, '.env'), join(it.dir, 'secret'))
    const denied = Array.from({ length: paths.length - 1 }, () => 'TOOL_DENIED')
    expect(said(await it.call('reads'))).toBe(
      JSON.stringify({ result: ['Loam.', ...denied, 'NOT_FOUND'] }),
    )
  })

  test('names in its label what it is called with', async () => {
    await using it = await desk(
      handler('water', 'export default () => 1', {
        runningLabel: 'Watering {{bed}}{{none}}',
        parameters: { type: 'object', properties: { bed: { type: 'string' } } },
      }),
    )
    const { events } = await it.call('water', { bed: 'b1' })
    expect(JSON.stringify(events)).toContain('"running_label":"Watering b1"')
  })

  test('refuses an unknown field of `uses`, and in amodal/ of the file', async () => {
    await using it = await desk({
      ...handler('a', 'export default () => 1', { uses: { tool: ['x'] } }),
      'amodal/tools/b/tool.json': '{ "description": "d", "retries": 3 }',
      'amodal/tools/b/handler.ts': 'export default () => 1',
    })
    expect(customTools(it.bundle)).toEqual([])
    expect([...issueLines(it.bundle.issues)].sort()).toEqual([
      expect.stringContaining('`retries` is not a known field'),
      expect.stringMatching(/`uses.tool` is not a known field.* rename it to `tools`/),
    ])
  })
})
