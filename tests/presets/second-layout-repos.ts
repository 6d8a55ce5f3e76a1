import type { Json, JsonObject } from '@amodal/sdk'

type Files = Readonly<Record<string, string | object>>

/** A small agent repo of the second layout, of a domain of its own. */
export interface Repo {
  readonly name: string
  readonly files: Files
  readonly manifest?: JsonObject
}

/** One that works: what it is told, and what its model or its reader has of it then. */
export interface WorkingRepo extends Repo {
  readonly says: string
  /** The call that the model makes; left out where a trigger answers. */
  readonly calls?: { readonly name: string; readonly arguments: JsonObject }
  readonly expected: RegExp
  /** Parts by folder, as `amodal validate` counts them. */
  readonly counts: Readonly<Record<string, number>>
}

/** One that is written wrongly: what a start, or the health of the server, says of it. */
export interface BrokenRepo extends Repo {
  readonly starts: boolean
  readonly messages: readonly string[]
}

const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
})
const text: JsonObject = { type: 'string' }

/** A `tool.ts`. */
const tool = (name: string, parameters: Json, rest: string): string => `export default {
  id: '${name}',
  exposure: { kind: 'open' },
  llm_callable: true,
  base: { name: '${name}', description: 'Does ${name}.', parametersJsonSchema: ${JSON.stringify(parameters)} },
  ${rest}
}
`
const agent = (prompt: string, json: object, folder = 'default'): Files => ({
  [`amodal/agents/${folder}/AGENT.md`]: prompt,
  [`amodal/agents/${folder}/agent.json`]: json,
})
const guard = (name: string, manifest: JsonObject, run: string): Files => ({
  [`hooks/${name}/hook.json`]: { name, points: ['preToolUse'], ...manifest },
  [`hooks/${name}/index.mjs`]: `export const createHook = (config) => ({ async run(point, call, ctx) { ${run} } })\n`,
})

export const WORKING: readonly WorkingRepo[] = [
  {
    name: 'greenhouse',
    files: {
      ...agent('You keep the beds.', { tools: ['bed_report'], stores: { beds: 'read' } }),
      'amodal/stores/beds.json': { key: '{bed_id}', schema: { bed_id: text, crop: text } },
      'amodal/stores/beds.seed.json': [{ bed_id: 'b1', crop: 'thyme' }],
      'amodal/tools/report/tool.ts': tool(
        'bed_report',
        object({ bed: text }, ['bed']),
        "uses: { tools: ['store__beds__get'] },\n  handle: async (ctx) => ({ bed: await ctx.callTool('store__beds__get', { key: ctx.input.bed }) }),",
      ),
    },
    says: 'How is bed 1?',
    calls: { name: 'bed_report', arguments: { bed: 'b1' } },
    expected: /thyme/,
    counts: { agents: 0, tools: 1, hooks: 0 },
  },
  {
    name: 'library',
    files: {
      ...agent('You lend books.', { tools: ['lend'], stores: { loans: 'rw' } }),
      'amodal/stores/loans.json': { key: '{book}', schema: { book: text, reader: text } },
      'amodal/stores/loans.seed.json': [{ book: 'dune', reader: 'ann' }],
      'amodal/tools/lend/tool.json': {
        description: 'Lends a book.',
        parameters: object({ book: text }, ['book']),
        runningLabel: 'Lending {{book}}',
      },
      'amodal/tools/lend/handler.ts': 'export default ({ book }) => ({ lent: book })\n',
      ...guard(
        'one-reader',
        { capabilities: ['store:read', 'reads_tool_io', 'gates_tools'] },
        `const loan = await ctx.store.get('loans', call.args.book)
        return loan ? { action: 'block', reason: 'It is lent to ' + loan.reader + '.' } : { action: 'allow' }`,
      ),
    },
    says: 'Lend me Dune.',
    calls: { name: 'lend', arguments: { book: 'dune' } },
    expected: /It is lent to ann\./,
    counts: { agents: 0, tools: 1, hooks: 1 },
  },
  {
    name: 'bakery',
    files: {
      ...agent('You sell bread.', { tools: [] }),
      'amodal/_lib/prices.ts': 'export const prices = { rye: 4 }\n',
      'amodal/tools/price/tool.json': {
        description: 'Says a price.',
        parameters: object({ bread: text }, ['bread']),
        triggers: [{ kind: 'regex', pattern: '^price of (?<bread>[a-z]+)$', flags: 'i' }],
      },
      'amodal/tools/price/handler.ts':
        "import { prices } from '../../_lib/prices.js'\nexport default ({ bread }) => 'It costs ' + prices[bread] + '.'\n",
    },
    says: 'Price of rye',
    expected: /It costs 4\./,
    counts: { agents: 0, tools: 1, hooks: 0 },
  },
  {
    name: 'observatory',
    files: {
      ...agent('You watch the sky.', { tools: ['observe'], subagents: ['astronomer'] }),
      ...agent('You name stars.', { tools: ['load_knowledge'] }, 'astronomer'),
      'amodal/knowledge/stars.md': '# Stars\n\nVega is bright.',
      'amodal/tools/observe/tool.ts': tool(
        'observe',
        object({}),
        "uses: { subagents: ['astronomer'] },\n  handle: async (ctx) => ({ star: await ctx.callSubagent('astronomer', 'Name a star.'), note: await ctx.fs.readRepoFile('amodal/knowledge/stars.md') }),",
      ),
    },
    says: 'What do you see?',
    calls: { name: 'observe', arguments: {} },
    expected: /Vega is bright/,
    counts: { agents: 1, tools: 1, hooks: 0 },
  },
  {
    name: 'harbour',
    files: {
      'amodal/agents/default/AGENT.md': 'You assign berths.',
      'amodal/agents/default/agent.ts':
        "export default { tools: ['berth', { name: 'close_port', conditional: (ctx) => ctx.context.storm === 'yes' }] }\n",
      'tools/berth/tool.json': { description: 'Assigns a berth.' },
      'tools/berth/handler.ts': 'export default () => ({ berth: 7 })\n',
      'amodal/tools/close_port/tool.json': { description: 'Closes the port.' },
      'amodal/tools/close_port/handler.ts': 'export default () => 1\n',
      ...guard('calm', { failPolicy: 'open' }, "throw new Error('no wind gauge')"),
    },
    says: 'Where do I moor?',
    calls: { name: 'berth', arguments: {} },
    expected: /berth.*7/,
    counts: { agents: 0, tools: 2, hooks: 1 },
  },
]

export const BROKEN: readonly BrokenRepo[] = [
  {
    name: 'clinic',
    files: {
      ...agent('You plan visits.', { tools: [] }),
      ...guard('privacy', { points: ['preToolUse', 'preReply'], failPolicy: 'open' }, ''),
    },
    starts: false,
    messages: ['hooks/privacy/hook.json', 'preReply'],
  },
  {
    name: 'bank',
    files: agent('You keep accounts.', { tools: [] }),
    manifest: { memory: { enabled: false, keep: 3 } },
    starts: false,
    messages: ['memory.keep', 'enabled'],
  },
  {
    name: 'garage',
    files: {
      ...agent('You mend cars.', { tools: [] }),
      'amodal/agents/default/agent.ts': "import './missing.js'\nexport default { tools: [] }\n",
    },
    starts: false,
    messages: ['agents/default/agent.ts', 'without what limits it'],
  },
  {
    name: 'theatre',
    files: {
      ...agent('You sell seats.', { tools: ['book'] }),
      'amodal/tools/book/tool.ts': tool('book', object({}), 'cost: 3,\n  handle: () => 1,'),
    },
    starts: true,
    messages: ['amodal/tools/book/tool.ts', '`cost` is not a known field', 'there is no tool'],
  },
  {
    name: 'zoo',
    files: {
      ...agent('You feed animals.', { tools: ['feed'] }),
      'amodal/tools/feed/tool.json': {
        description: 'Feeds.',
        triggers: [{ kind: 'regex', pattern: '(?=hungry)' }],
      },
      'amodal/tools/feed/handler.ts': 'export default () => 1\n',
      'amodal/cages/lions.json': {},
    },
    starts: true,
    messages: ['its pattern cannot be used', 'amodal/cages', 'there is no tool'],
  },
]
