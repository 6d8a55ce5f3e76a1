import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tools, use, definePlugin, defineTool, type BundleIssue } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { customTools } from '../src/custom-tool.ts'
import { desk, handler, said, toolJson } from './support.ts'

const told = (issues: readonly BundleIssue[]): readonly string[] =>
  issues.map(
    ({ severity, file, line, message, fix }) =>
      `${severity} ${file ?? ''}:${line ?? ''} ${message} — ${fix ?? ''}`,
  )
const ECHO = 'export default async (params) => params'

describe('a tool', () => {
  test('is a folder with tool.json and handler.ts; its name is that of the folder', async () => {
    await using it = await desk(
      handler('create_ticket', ECHO, {
        description: 'Creates a ticket.',
        confirm: 'review',
        timeout: 60_000,
        env: ['JIRA_API_TOKEN'],
        runningLabel: 'Creating',
        completedLabel: 'Created',
        internal: true,
        keyed: true,
        parameters: {
          type: 'object',
          properties: { summary: { type: 'string' } },
          required: ['summary'],
        },
      }),
      { env: { JIRA_API_TOKEN: 'tok-1' } },
    )
    expect(it.bundle.issues).toEqual([])
    expect(customTools(it.bundle)).toMatchObject([
      {
        kind: 'handler',
        name: 'create_ticket',
        description: 'Creates a ticket.',
        tier: 'review',
        hidden: false,
        timeout: 60_000,
        env: ['JIRA_API_TOKEN'],
        runningLabel: 'Creating',
        completedLabel: 'Created',
        internal: true,
        keyed: true,
        readOnly: false,
        file: 'tools/create_ticket/tool.json',
        entry: 'tools/create_ticket/handler.ts',
      },
    ])
    expect(it.bundle.references).toMatchObject([{ name: 'JIRA_API_TOKEN', set: true }])
    expect(JSON.stringify(it.bundle.parts)).not.toContain('tok-1')
    const [tool] = (await it.agent.compiled()).ok
      ? [...(it.kernel.current().registry(Tools).get('custom')?.tools(it.bundle) ?? [])]
      : []
    expect(tool).toMatchObject({
      name: 'create_ticket',
      tier: 'review',
      timeoutMs: 60_000,
      parameters: { type: 'object', required: ['summary'] },
    })
  })

  test('says who sees its results and for how long; of a versioned one an output is shorter', async () => {
    await using it = await desk(
      handler('look_up', ECHO, {
        description: 'Looks up.',
        result_persistence: 'ephemeral',
        private: true,
        version: '1.2.0',
      }),
    )
    expect(it.bundle.issues).toEqual([])
    const [tool] = (await it.agent.compiled()).ok
      ? [...(it.kernel.current().registry(Tools).get('custom')?.tools(it.bundle) ?? [])]
      : []
    expect(tool).toMatchObject({
      resultPersistence: 'ephemeral',
      private: true,
      outputChars: 20_000,
    })
    await using wrong = await desk(
      handler('look_up', ECHO, { description: 'Looks up.', resultPersistence: 'forever' }),
    )
    expect(told(wrong.bundle.issues)).toEqual([
      expect.stringMatching(
        /^error tools\/look_up\/tool\.json:\d+ `resultPersistence` cannot be "forever"/,
      ),
    ])
  })

  test.each([
    ['a folder', 'tools/pipeline_value/handler.ts'],
    ['a file', 'tools/pipeline_value.ts'],
  ])('is %s with defineToolHandler: all that it says counts', async (_what, path) => {
    await using it = await desk(
      {
        [path]: `import { defineToolHandler } from '@amodalai/core'
import type { ToolContext } from '@amodalai/types'
export default defineToolHandler({
  description: 'Weighted value.',
  parameters: { type: 'object', properties: { deal_ids: { type: 'array', items: { type: 'string' } } }, required: ['deal_ids'] },
  confirm: true,
  timeout: 60000,
  env: ['STRIPE_API_KEY'],
  handler: async (params: { deal_ids: string[] }, ctx: ToolContext) => ({ count: params.deal_ids.length, key: ctx.env('STRIPE_API_KEY') === 'sk-1' }),
})`,
      },
      { env: { STRIPE_API_KEY: 'sk-1' } },
    )
    expect(told(it.bundle.issues)).toEqual([])
    expect(customTools(it.bundle)).toMatchObject([
      {
        name: 'pipeline_value',
        description: 'Weighted value.',
        tier: 'confirm',
        timeout: 60_000,
        env: ['STRIPE_API_KEY'],
        file: path,
      },
    ])
    const waits = await it.call('pipeline_value', { deal_ids: ['a', 'b'] })
    expect(waits.pending).toMatchObject([
      { type: 'approval', context: { tool: 'pipeline_value', tier: 'confirm' } },
    ])
    expect(await it.approve(waits)).toMatchObject({
      status: 'success',
      output: { count: 2, key: true },
    })
  })

  test('of tool.json and defineToolHandler: the file counts, and of two approvals the stricter one', async () => {
    await using it = await desk({
      'tools/both/tool.json': toolJson({ description: 'Of the file.', confirm: false }),
      'tools/both/handler.ts': `import { defineToolHandler } from '@amodal/sdk'
export default defineToolHandler({ description: 'Of the code.', confirm: 'review', timeout: 1234, handler: () => ({}) })`,
    })
    expect(customTools(it.bundle)).toMatchObject([
      { description: 'Of the file.', tier: 'review', timeout: 1234 },
    ])
  })

  test.each([
    [false, 'allow', false],
    [true, 'confirm', false],
    ['review', 'review', false],
    ['never', 'allow', true],
  ])('with confirm %s has the tier %s, hidden: %s', async (confirm, tier, hidden) => {
    await using it = await desk(handler('tried', ECHO, { confirm }))
    expect(customTools(it.bundle)).toMatchObject([{ tier, hidden }])
  })

  test('that is never to be called is not told to the model, and reached by those that name it only', async () => {
    await using it = await desk({
      ...handler('delete_deployment', 'export default () => ({ deleted: true })', {
        confirm: 'never',
      }),
      ...handler('clean_up', "export default (_, ctx) => ctx.tool('delete_deployment')", {
        uses: ['delete_deployment'],
      }),
      ...handler('sneaky', "export default (_, ctx) => ctx.tool('delete_deployment')"),
    })
    expect((await it.call('delete_deployment')).code).toBe('TOOL_UNKNOWN')
    expect(JSON.stringify(it.model.requests.at(-1)?.body.tools)).not.toContain('delete_deployment')
    expect(await it.call('clean_up')).toMatchObject({
      status: 'success',
      output: { deleted: true },
    })
    expect(await it.call('sneaky')).toMatchObject({ status: 'error', code: 'TOOL_UNKNOWN' })
  })
})

describe('a bad tool disables no other', () => {
  test.each<[what: string, files: Readonly<Record<string, string>>, expected: RegExp]>([
    [
      'no description',
      { 'tools/bad/tool.json': '{\n  "parameters": {}\n}', 'tools/bad/handler.ts': ECHO },
      /error tools\/bad\/tool.json:1 `description` is missing — add it: a text/,
    ],
    [
      'a wrong confirm',
      handler('bad', ECHO, { confirm: 'allways' }),
      /error tools\/bad\/tool.json:3 `confirm` cannot be "allways".*— use one of: false, true, allow/,
    ],
    [
      'a wrong timeout',
      handler('bad', ECHO, { timeout: '30s' }),
      /tools\/bad\/tool.json:3 `timeout` is a text, and a/,
    ],
    [
      'broken JSON',
      {
        'tools/bad/tool.json': '{ "description": "x",\n "confirm" true }',
        'tools/bad/handler.ts': ECHO,
      },
      /error tools\/bad\/tool.json:2 a colon is missing/,
    ],
    [
      'a name with capitals',
      handler('CreateTicket', ECHO),
      /error tools\/CreateTicket\/tool.json:1 "CreateTicket" is no tool name — rename the folder/,
    ],
    [
      'broken TypeScript',
      handler('bad', 'export default async () => {\n  return (\n}'),
      /error tools\/bad\/handler.ts:3 .* — correct the TypeScript/,
    ],
    [
      'an enum',
      handler('bad', 'enum A { B }\nexport default () => A.B'),
      /error tools\/bad\/handler.ts:1 TypeScript enum is not supported/,
    ],
    [
      'no handler',
      { 'tools/bad/tool.json': toolJson() },
      /error tools\/bad\/tool.json:1 there is no handler.ts beside it — write handler.ts, or say "type": "http"/,
    ],
    [
      'nothing that says what it is',
      { 'tools/bad.ts': ECHO },
      /error tools\/bad.ts:1 nothing says what this tool is for — export what `defineToolHandler/,
    ],
    [
      'a definition without description',
      {
        'tools/bad.ts':
          "import { defineToolHandler } from '@amodalai/core'\nexport default defineToolHandler({ handler: () => 1 })",
      },
      /error tools\/bad.ts:1 `description` is missing/,
    ],
    [
      'a definition with a wrong field',
      {
        'tools/bad.ts':
          "import { defineToolHandler } from '@amodalai/core'\nexport default defineToolHandler({\n  description: 'x',\n  confirm: 'maybe',\n  handler: () => 1,\n})",
      },
      /error tools\/bad.ts:4 `confirm` cannot be "maybe"/,
    ],
    [
      'code that throws',
      { 'tools/bad.ts': "const a = 1\nthrow new Error('no luck')" },
      /error tools\/bad.ts:2 its handler cannot be loaded: no luck — correct the handler/,
    ],
    [
      'code that never ends',
      { 'tools/bad.ts': 'for (;;) {}' },
      /error tools\/bad.ts:1 its handler cannot be loaded: was not loaded within 10000 ms/,
    ],
    [
      'code that ends the process',
      { 'tools/bad.ts': 'process.exit(3)' },
      /error tools\/bad.ts:1 its handler cannot be loaded: ended with exit code 3/,
    ],
    [
      'parameters that are no object',
      handler('bad', ECHO, { parameters: { type: 'string' } }),
      /error tools\/bad\/tool.json:3 `parameters` cannot be used: the parameters describe a string/,
    ],
    [
      'parameters that are no schema',
      handler('bad', ECHO, { parameters: { properties: { a: { type: 'text' } } } }),
      /error tools\/bad\/tool.json:3 `parameters` cannot be used: .*type/,
    ],
    [
      'fields without properties',
      handler('bad', ECHO, { parameters: { id: { type: 'string' } } }),
      /error tools\/bad\/tool.json:3 `parameters` cannot be used: `id` stands beside `type` instead of in `properties`/,
    ],
    [
      'a pattern that could run for ever',
      handler('bad', ECHO, {
        parameters: { properties: { a: { type: 'string', pattern: '^(a+)\\1$' } } },
      }),
      /`parameters` cannot be used/,
    ],
    [
      'packages that are not installed',
      {
        ...handler('bad', ECHO),
        'tools/bad/package.json': '{\n  "dependencies": { "left-pad": "1.3.0" }\n}',
      },
      /error tools\/bad\/package.json:2 its packages are not installed: left-pad — run: npm install --prefix tools\/bad/,
    ],
    [
      'an http tool without endpoint',
      { 'tools/bad/tool.json': toolJson({ type: 'http', connection: 'x' }) },
      /error tools\/bad\/tool.json:1 `endpoint` is missing/,
    ],
    [
      'a chain with two steps of a name',
      {
        'tools/bad/tool.json': toolJson({
          type: 'chain',
          steps: [
            { name: 'a', connection: 'x', endpoint: '/' },
            { name: 'a', connection: 'x', endpoint: '/' },
          ],
        }),
      },
      /error tools\/bad\/tool.json:\d+ two steps are called "a"/,
    ],
    [
      'a write that says it is a read',
      {
        'tools/bad/tool.json': toolJson({
          type: 'http',
          connection: 'x',
          endpoint: '/',
          method: 'POST',
          readOnly: true,
        }),
      },
      /it is said to be read-only/,
    ],
    [
      'a Python handler without tool.json',
      { 'tools/bad/handler.py': 'def handler(params, ctx):\n  return {}' },
      /error tools\/bad\/handler.py:1 a Python handler needs a tool.json/,
    ],
  ])('%s', async (what, files, expected) => {
    await using it = await desk(
      { ...handler('good', ECHO), ...files },
      { config: { startMs: what === 'code that never ends' ? 10_000 : 20_000 } },
    )
    const errors = it.bundle.issues.filter(({ severity }) => severity === 'error')
    expect(told(errors)).toEqual([expect.stringMatching(expected)])
    expect(customTools(it.bundle).map(({ name }) => name)).toEqual(['good'])
    expect(await it.call('good', { a: 1 })).toMatchObject({ status: 'success', output: { a: 1 } })
  })

  test('a name twice: the first one stays', async () => {
    await using it = await desk({
      ...handler('one', ECHO, { name: 'same' }),
      ...handler('two', ECHO, { name: 'same' }),
    })
    expect(told(it.bundle.issues)).toEqual([
      expect.stringMatching(
        /tools\/two\/tool.json:1 this file makes the name "same", which is taken by tools\/one\/tool.json; this one is left out/,
      ),
    ])
  })

  test('a name that another plugin has', async () => {
    const taken = definePlugin({
      name: 'taken',
      version: '1.0.0',
      setup: ({ add }) =>
        add(Tools, 'taken', {
          tools: () => [
            defineTool({
              name: 'present',
              description: 'x',
              readOnly: true,
              input: z.object({}),
              execute: async () => ({ status: 'success', output: 'theirs' }),
            }),
          ],
        }),
    })
    await using it = await desk(
      { ...handler('present', ECHO), ...handler('good', ECHO) },
      { plugins: [use(taken)] },
    )
    expect(told(it.bundle.issues)).toEqual([
      expect.stringMatching(
        /error tools\/present\/tool.json:1 this file makes the name "present", which is taken by the source of tools "taken"/,
      ),
    ])
    expect(await it.call('present')).toMatchObject({ output: 'theirs' })
    expect(await it.call('good', { a: 1 })).toMatchObject({ status: 'success' })
  })

  test('a link that could lead elsewhere', async () => {
    await using it = await desk({ ...handler('good', ECHO), ...handler('bad', ECHO) })
    await mkdir(join(it.dir, 'elsewhere'))
    await writeFile(join(it.dir, 'elsewhere/x.txt'), 'x')
    await symlink(join(it.dir, 'elsewhere'), join(it.dir, 'tools/bad/data'))
    await it.write('knowledge/new.md', 'Edits of other files are taken.')
    const bundle = await it.reload()
    expect(told(bundle.held?.issues ?? [])).toEqual([
      expect.stringMatching(
        /tools\/bad\/handler.ts: its files cannot be read: tools\/bad\/data is a link/,
      ),
    ])
    expect(customTools(bundle).map(({ name }) => name)).toEqual(['bad', 'good'])
    expect(bundle.knowledge).toHaveLength(1)
    expect(await it.call('bad', { a: 1 })).toMatchObject({ status: 'success' }) // as it was loaded
  })
})

test('warns of what nobody reads, of variables that are not set, and of names that no tool has', async () => {
  await using it = await desk({
    ...handler('odd', ECHO, { intrenal: true, env: ['NOT_SET_HERE'], uses: ['oddd'] }),
    'tools/notes/readme.md': 'x',
    'tools/get_it/tool.json': toolJson({
      type: 'http',
      connection: 'x',
      endpoint: '/a/{{nmae}}',
      params: { at: '{{now_minus_1h}}' },
      parameters: { properties: { name: { type: 'string' } } },
    }),
  })
  expect([...told(it.bundle.issues)].sort()).toEqual([
    expect.stringMatching(/warning tools\/get_it\/tool.json:1 there is no connection "x"/),
    expect.stringMatching(
      /warning tools\/get_it\/tool.json:5 no parameter fills `{{nmae}}`; did you mean `{{name}}`\?/,
    ),
    expect.stringMatching(/warning tools\/notes: this folder is no tool/),
    expect.stringMatching(
      /warning tools\/odd\/tool.json:1 there is no tool "oddd"; did you mean "odd"\?/,
    ),
    expect.stringMatching(
      /warning tools\/odd\/tool.json:3 `intrenal` is not a known field; did you mean `internal`\?/,
    ),
    expect.stringMatching(/warning tools\/odd\/tool.json:5 the variable NOT_SET_HERE is not set/),
  ])
})

// It would run without asking anybody.
test.each([
  ['confrim', 'rename it to `confirm`'],
  ['permissions', 'say it where it is kept'],
])('a tool with a protection that nobody reads is left out: %s', async (field, fix) => {
  await using it = await desk(handler('odd', ECHO, { [field]: true }))
  expect(told(it.bundle.issues)).toEqual([
    expect.stringMatching(
      new RegExp(`^error tools/odd/tool.json:\\d+ \`${field}\` is not a known field.* — ${fix}`),
    ),
  ])
  expect(customTools(it.bundle)).toEqual([])
})

describe('arguments', () => {
  const parameters = {
    type: 'object',
    required: ['email', 'level'],
    additionalProperties: false,
    properties: {
      email: { type: 'string', format: 'email' },
      level: { enum: ['low', 'high'] },
      tag: { type: 'string', pattern: '^(a+)+$' },
      count: { type: 'integer', minimum: 1, default: 5 },
      nested: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    },
  }

  test('are checked, with an error that a model can act on; defaults are filled in', async () => {
    await using it = await desk(handler('tried', ECHO, { parameters }))
    expect(await it.call('tried', { email: 'a@example.com', level: 'low' })).toMatchObject({
      output: { email: 'a@example.com', level: 'low', count: 5 },
    })
    expect(await it.call('tried', { email: 'none', count: 0, extra: 1, nested: {} })).toMatchObject(
      {
        status: 'error',
        code: 'TOOL_ARGUMENTS',
        output:
          'The arguments do not fit: level: is required; extra: is no parameter; email: must match format "email"; count: must be >= 1; nested.id: is required',
      },
    )
    expect((await it.call('tried', { email: 'a@example.com', level: 'mid' })).output).toMatch(
      /level: must be one of \["low","high"\]/,
    )
  })

  test('meet patterns that would hang another engine, in linear time', async () => {
    await using it = await desk(handler('tried', ECHO, { parameters }))
    const begun = performance.now()
    const answer = await it.call('tried', {
      email: 'a@example.com',
      level: 'low',
      tag: `${'a'.repeat(50_000)}!`,
    })
    expect([answer.status, said(answer).slice(0, 200)]).toEqual([
      'error',
      expect.stringContaining('tag: must match pattern'),
    ])
    // another engine would not be done in a year
    expect(performance.now() - begun).toBeLessThan(30_000)
    expect(
      await it.call('tried', { email: 'a@example.com', level: 'low', tag: 'aaa' }),
    ).toMatchObject({ status: 'success' })
  })

  test('of draft-07 are read as such where the schema says so', async () => {
    const pair = { type: 'array', items: [{ type: 'number' }, { type: 'string' }] }
    await using it = await desk(
      handler('tried', ECHO, {
        parameters: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { pair },
        },
      }),
    )
    expect(await it.call('tried', { pair: [1, 'a'] })).toMatchObject({ status: 'success' })
    expect(await it.call('tried', { pair: ['a', 1] })).toMatchObject({ status: 'error' })
  })
})
