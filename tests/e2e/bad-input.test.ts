import { chmod, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Commands, silentLogger, type Json, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, write, type Door } from '../security/support/door.ts'

const FIELDS = { id: { type: 'string' } }
const store = (schema: JsonObject, more: JsonObject = {}): string =>
  `{\n"entity": { "key": "{id}", "schema": ${JSON.stringify({ ...FIELDS, ...schema })} },\n"description": "x"${Object.entries(
    more,
  )
    .map(([name, value]) => `,\n"${name}": ${JSON.stringify(value)}`)
    .join('')}\n}`
const tool = (more: JsonObject): string =>
  JSON.stringify(
    {
      description: 'Does it.',
      type: 'http',
      connection: 'good',
      endpoint: '/x',
      method: 'GET',
      ...more,
    },
    null,
    1,
  )
const good = '{ "baseUrl": "https://api.example.com" }'

/** What is wrong, the files that are needed for it, and how the first error about it begins. */
const BAD: readonly (readonly [
  kind: string,
  files: Readonly<Record<string, string>>,
  says: RegExp,
])[] = [
  [
    'broken JSON',
    { 'stores/broken.json': '{\n"entity": {' },
    /^error BAD_REPO stores\/broken.json:2 .*not closed — close it/,
  ],
  [
    'broken JSON',
    { 'tools/broken/tool.json': '{\n"name" "broken" }' },
    /^error BAD_REPO tools\/broken\/tool.json:2 .*colon.* — write/,
  ],
  [
    'broken JSON',
    { 'connections/broken/spec.json': '{\n"baseUrl": }' },
    /^error BAD_REPO connections\/broken\/spec.json:2 .* — /,
  ],
  [
    'broken JSON',
    { 'roles/broken.json': '{\n"tools": [1 2] }' },
    /^error BAD_REPO roles\/broken.json:2 .*comma.* — /,
  ],
  [
    'broken JSON',
    { 'stores/good.seed.json': '[\n{ "id": }]' },
    /^error BAD_REPO stores\/good.seed.json:2 .* — /,
  ],
  ['broken JSON', { 'prices.json': '{\n"a": ' }, /^error BAD_REPO prices.json:2 .* — /],
  [
    'broken YAML',
    { 'skills/broken.md': '---\nname: [\n---\n\nText.' },
    /^error BAD_REPO skills\/broken.md:\d .* — /,
  ],
  [
    'broken code',
    { 'tools/code.ts': 'export default (\n' },
    /^error BAD_REPO tools\/code.ts:\d .* — correct the TypeScript/,
  ],
  [
    'wrong type',
    { 'stores/typed.json': '{\n"entity": 5 }' },
    /^error BAD_REPO stores\/typed.json:2 `entity` is a number, and an object is needed — write an object/,
  ],
  [
    'wrong type',
    { 'connections/typed/spec.json': '{\n"baseUrl": 5 }' },
    /^error BAD_REPO connections\/typed\/spec.json:2 `baseUrl` is a number.* — write/,
  ],
  [
    'wrong type',
    { 'tools/typed/tool.json': tool({ method: 5 }) },
    /^error BAD_REPO tools\/typed\/tool.json:6 `method` .* — /,
  ],
  [
    'wrong type',
    { 'agents/typed/AGENT.md': '---\nmaxDepth: lots\n---\n\nText.' },
    /^error BAD_REPO agents\/typed\/AGENT.md:2 .* — /,
  ],
  [
    'wrong type',
    { 'roles/typed.json': '{\n"tools": 5 }' },
    /^error BAD_REPO roles\/typed.json:2 .* — /,
  ],
  [
    'unknown field',
    { 'stores/unknown.json': store({}, { tll: 5 }) },
    /^warning BAD_REPO stores\/unknown.json:4 `tll` is not a known field; did you mean `ttl`\? — rename it to `ttl`/,
  ],
  [
    'unknown field',
    { 'tools/unknown/tool.json': tool({ timout: 5 }) },
    /^warning BAD_REPO tools\/unknown\/tool.json:7 `timout` .*did you mean `timeout`\? — rename/,
  ],
  [
    'unknown field',
    {
      'connections/unknown/spec.json': '{ "baseUrl": "https://api.example.com",\n"baseurl": "x" }',
    },
    /^(warning|error) BAD_REPO connections\/unknown\/spec.json:2 `baseurl` .*did you mean `baseUrl`\? — rename/,
  ],
  [
    'duplicate name',
    { 'stores/a-b.json': store({}), 'stores/a_b.json': store({}) },
    /^error DUPLICATE_NAME stores\/a_b.json:\d .*stores\/a-b.json; this one is left out — give/,
  ],
  [
    'duplicate name',
    {
      'skills/d1.md': '# Skill: Twin\n\nA.\n\nText.',
      'skills/d2.md': '# Skill: Twin\n\nA.\n\nText.',
    },
    /^error DUPLICATE_NAME skills\/d2.md:\d .*skills\/d1.md.* — /,
  ],
  [
    'duplicate name',
    { 'tools/twin/tool.json': tool({}), 'tools/other/tool.json': tool({ name: 'twin' }) },
    /^error DUPLICATE_NAME tools\/(twin|other)\/tool.json:1 .* — give/,
  ],
  [
    'missing file',
    { 'tools/missing/tool.json': '{ "description": "x" }' },
    /^error BAD_REPO tools\/missing\/tool.json:1 there is no handler.ts beside it — write/,
  ],
  [
    'missing file',
    { 'connections/missing/access.json': '{}' },
    /^error \w+ connections\/missing.* — /,
  ],
  [
    'missing file',
    { 'stores/nowhere.seed.json': '[]' },
    /^error BAD_REPO stores\/nowhere.seed.json:1 .* — .*add stores\/nowhere.json/,
  ],
  [
    'cyclic ref',
    {
      'stores/hen.json': store({ egg: { type: 'ref', store: 'egg' } }),
      'stores/egg.json': store({ hen: { type: 'ref', store: 'hen' } }),
    },
    /^error BAD_REPO stores\/(hen|egg).json:2 .* — make/,
  ],
  ['empty', { 'knowledge/empty.md': '' }, /^error BAD_REPO knowledge\/empty.md:1 .* — write/],
]

const GOOD = {
  'knowledge/good.md': '# Good\n\nKNOWLEDGE-IS-THERE',
  'skills/good.md': '# Skill: Good\n\nGood.\n\nSKILL-IS-THERE',
  'stores/good.json': store({}, { description: 'STORE-IS-THERE' }),
  'agents/main/AGENT.md': 'INSTRUCTIONS-ARE-THERE',
  'connections/good/spec.json': good,
  'tools/good/tool.json': tool({ description: 'TOOL-IS-THERE' }),
  'agents/good/AGENT.md': '---\ndescription: AGENT-IS-THERE\n---\n\nText.',
}
const MARKS = [
  'AGENT-IS-THERE',
  'INSTRUCTIONS-ARE-THERE',
  'KNOWLEDGE-IS-THERE',
  'SKILL-IS-THERE',
  'STORE-IS-THERE',
  'TOOL-IS-THERE',
]

const marks = (door: Door): readonly string[] =>
  [
    ...new Set(
      JSON.stringify(door.model.requests.at(-1)?.body).match(/[A-Z]+-(IS|ARE)-THERE/g) ?? [],
    ),
  ].sort()
const Issues = z.array(
  z.object({
    severity: z.string(),
    code: z.string(),
    file: z.string().optional(),
    line: z.number().optional(),
    message: z.string(),
    fix: z.string().optional(),
  }),
)
const lines = (issues: Json | undefined): readonly string[] =>
  Issues.parse(issues).map(
    ({ severity, code, file, line, message, fix }) =>
      `${severity} ${code} ${file ?? '-'}:${line ?? '-'} ${message} — ${fix ?? '-'}`,
  )

async function validate(
  door: Door,
): Promise<{ readonly code: number | undefined; readonly said: JsonObject }> {
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  const code = await door.running.kernel
    .current()
    .registry(Commands)
    .get('validate')
    ?.run({
      options: { json: true, 'skip-test': true },
      dir: door.dir,
      arguments: [],
      env: {},
      log: silentLogger,
      signal: AbortSignal.timeout(60_000),
      print,
      write: print,
      fail: print,
      input: (async function* () {})(),
      start: () => Promise.reject(new Error('nothing is started')),
    })
  // what the command prints is JSON
  return { code, said: JSON.parse(printed.join('\n')) as JsonObject }
}

test('every kind of bad input names file, line and what to do, and the rest works', async () => {
  await using door = await openDoor({
    script: () => reply.text('Yes.'),
    manifest: { versoin: '1', plugins: [['roles', { defaultRole: 'everyone' }]] },
    files: {
      ...GOOD,
      'roles/everyone.json':
        '{ "name": "everyone", "tools": ["*"], "skills": ["*"], "connections": ["*"] }',
      ...Object.assign({}, ...BAD.map(([, files]) => files)),
    },
  })
  await symlink(join(door.dir, 'nowhere'), join(door.dir, 'evals'))
  await write(door.dir, { 'tools/closed/tool.json': tool({}) })
  if (process.getuid?.() !== 0) await chmod(join(door.dir, 'tools/closed'), 0)
  const { code, said } = await validate(door)
  await chmod(join(door.dir, 'tools/closed'), 0o700)
  const told = lines(said['issues'])
  for (const [kind, files, says] of BAD)
    expect(told, `${kind} in ${Object.keys(files).join(', ')}`).toContainEqual(
      expect.stringMatching(says),
    )
  expect(told).toContainEqual(
    expect.stringMatching(
      /^warning BAD_REPO amodal.json:\d+ `versoin` .*did you mean `version`\? — rename/,
    ),
  )
  expect(told).toContainEqual(
    expect.stringMatching(/^error UNREADABLE evals:- cannot be read \(ENOENT\) — /),
  )
  if (process.getuid?.() !== 0)
    expect(told).toContainEqual(
      expect.stringMatching(
        /^error UNREADABLE tools\/closed:- cannot be read \(EACCES\) — make it readable/,
      ),
    )
  expect(code).toBe(1)

  // The server that runs on the same folder says the same, and serves with what is good.
  expect((await door.say('Hello')).body['response']).toBe('Yes.')
  expect(marks(door)).toEqual(MARKS)
  expect((await door.get('/health')).body['status']).toBe('degraded')
  const served = lines((await door.get('/inspect/health')).body['issues'])
  for (const [kind, files, says] of BAD)
    expect(served, `${kind} in ${Object.keys(files).join(', ')}`).toContainEqual(
      expect.stringMatching(says),
    )
})

test.for([
  ['broken JSON', '{\n"name": "door",\n', 'amodal.json:3'],
  [
    'a wrong type',
    '{\n"name": "door",\n"limits": { "maxTurns": "ten" } }',
    'amodal.json:3  `limits.maxTurns` is a text',
  ],
  [
    'a variable that is not set',
    '{\n"name": "door",\n"description": "env:NOT_SET_ANYWHERE" }',
    'amodal.json:3  the variable NOT_SET_ANYWHERE is not set',
  ],
] as const)(
  'amodal.json with %s is refused, and a server that runs keeps the one it has',
  async ([, text, says]) => {
    await using door = await openDoor({
      script: () => reply.text('Yes.'),
      files: GOOD,
      manifest: { plugins: [['repo-watch', { debounceMs: 20 }]] },
    })
    await writeFile(join(door.dir, 'amodal.json'), text)
    await expect
      .poll(async () => JSON.stringify((await door.get('/health')).body['problems'] ?? ''))
      .toContain(says.replaceAll('"', '\\"'))
    expect((await door.say('Hello')).body['response']).toBe('Yes.')
    expect(marks(door)).toEqual(MARKS)
    const { code, said } = await validate(door)
    expect(code).toBe(1)
    expect(lines(said['issues'])).toContainEqual(expect.stringContaining(says.replace('  ', ' ')))
  },
)
