import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, use, type RuntimeEvent } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { isWhole, newRandom } from '../support/random.ts'
import { collectGarbage } from '../reload/collect-garbage.ts'
import { openDoor, write, type Door } from '../security/support/door.ts'

/** Hears what the server tells of its files. */
function listener() {
  const heard: RuntimeEvent[] = []
  const entry = use(
    definePlugin({
      name: 'listener',
      version: '1.0.0',
      setup: ({ hooks }) => {
        hooks.event.runtime.tap((event) => {
          heard.push(event)
        })
      },
    }),
  )
  const changes = () => heard.filter((event) => event.type === 'files_changed')
  return { entry, changes }
}

/** The machine may have other things to do. */
const PATIENT = { timeout: 45_000 }

const STORE = (mark: string) => ({
  description: mark,
  entity: { key: '{id}', schema: { id: { type: 'string' } } },
})
const HANDLER = (mark: string) =>
  `import { defineToolHandler } from '@amodal/sdk'\nexport default defineToolHandler({ description: '${mark}', parameters: { type: 'object', properties: {} }, readOnly: true, handler: () => ({ ran: '${mark}' }) })\n`
const manifest = (mark: string, url: string) => ({
  name: 'watched',
  version: '1.0.0',
  userContext: mark,
  plugins: [['repo-watch', { debounceMs: 15 }]],
  models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: url } },
})

interface Kind {
  readonly path: string
  good(mark: string, url: string): string
  readonly broken: readonly string[]
}
const KINDS: readonly Kind[] = [
  {
    path: 'amodal.json',
    good: (mark, url) => JSON.stringify(manifest(mark, url)),
    broken: ['{ "name": ', '{ "name": 5 }', '{ "name": "watched", "version": "env:NOWHERE" }', ''],
  },
  {
    path: 'agents/main/AGENT.md',
    good: (mark) => `# Agent: W\n\n${mark}\n`,
    broken: ['', '---\na: [\n---\n\ntext'],
  },
  {
    path: 'knowledge/deep/er/facts.md',
    good: (mark) => `# Facts\n\n${mark}\n`,
    broken: ['', '---\na: [\n---\n\ntext'],
  },
  {
    path: 'skills/one.md',
    good: (mark) => `# Skill: One\n\nDoes one.\n\nTrigger: now\n\n## Steps\n\n${mark}\n`,
    broken: ['', '---\nname: [\n---\n'],
  },
  {
    path: 'skills/two/SKILL.md',
    good: (mark) => `---\nname: two\ndescription: Does two.\n---\n\n${mark}\n`,
    broken: ['', '---\nname: two\n---\n\n'],
  },
  {
    path: 'stores/things.json',
    good: (mark) => JSON.stringify(STORE(mark)),
    broken: [
      '{',
      '{ "entity": 5 }',
      '{ "entity": { "key": "{no}", "schema": { "id": { "type": "string" } } } }',
    ],
  },
  {
    path: 'tools/ping.ts',
    good: HANDLER,
    broken: ['export default defineToolHandler({', 'enum Wrong { A }'],
  },
  {
    path: 'tools/pong/tool.json',
    good: (mark) =>
      JSON.stringify({
        name: 'pong',
        description: mark,
        type: 'http',
        connection: 'api',
        endpoint: '/pong',
        method: 'GET',
        parameters: { type: 'object', properties: {} },
      }),
    broken: ['{ "name": "pong"', '{ "name": "pong", "type": "htpp" }'],
  },
  {
    path: 'connections/api/spec.json',
    good: () => JSON.stringify({ baseUrl: 'https://api.example.com' }),
    broken: ['{', '{ "baseUrl": 5 }'],
  },
]

/** Marks in what the model was sent: in its prompt, and in its tools. */
function marks(door: Door): readonly string[] {
  const body = door.model.requests.at(-1)?.body
  const system = body?.messages.find(({ role }) => role === 'system')
  return [...new Set(JSON.stringify([system, body?.tools]).match(/MARK\d+/g) ?? [])].sort()
}

/**
 * As editors write: in place, beside it and renamed, removed and made anew, in two pieces. Each is
 * over before anybody can look.
 */
const SAVES: readonly ((file: string, text: string) => void)[] = [
  (file, text) => writeFileSync(file, text),
  (file, text) => {
    writeFileSync(`${file}~`, text)
    renameSync(`${file}~`, file)
  },
  (file, text) => {
    rmSync(file)
    writeFileSync(file, text)
  },
  (file, text) => {
    writeFileSync(file, text.slice(0, text.length / 2))
    appendFileSync(file, text.slice(text.length / 2))
  },
]

async function collected(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}

/** In a row; some of them unless all is asked for. */
const EDITS = isWhole() ? 200 : 60

test(
  'of many edits in a row each good one is in the next turn, and no broken one',
  async () => {
    const chance = newRandom()
    const { seed } = chance
    const random = (below: number): number => chance.within(0, below - 1)
    const events = listener()
    await using door = await openDoor({
      script: () => reply.text('Yes.'),
      keep: 3,
      manifest: { userContext: 'MARK0', plugins: [['repo-watch', { debounceMs: 15 }]] },
      entries: [events.entry],
    })
    const { url } = door.model
    await write(
      door.dir,
      Object.fromEntries(KINDS.map(({ path, good }) => [path, good('MARK0', url)])),
    )
    await expect
      .poll(() => door.running.agent.bundle()?.parts['tools-custom'], PATIENT)
      .toHaveLength(2)
    // A folder is watched a moment after it was made, and files are told of in the order of their
    // edits: once this one is, all of those before it are.
    const ready = 'knowledge/deep/er/ready.md'
    const heard = (wanted: string): boolean => events.changes().some(({ path }) => path === wanted)
    for (const path of [...KINDS.map((kind) => kind.path), ready])
      await expect
        .poll(
          () => {
            const known = heard(path)
            const kind = KINDS.find((one) => one.path === path)
            if (!known)
              writeFileSync(join(door.dir, path), kind?.good('MARK0', url) ?? '# Ready\n\nNow.\n')
            return known
          },
          { ...PATIENT, interval: 200 },
        )
        .toBe(true)
    const inUse = new Map(KINDS.map(({ path }) => [path, 'MARK0']))
    // the lists are not empty
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    let heap = 0
    for (let n = 1; n <= EDITS; n++) {
      const chosen = pick(KINDS)
      // a process for each
      const kind = chosen.path === 'tools/ping.ts' && random(4) > 0 ? (KINDS[2] ?? chosen) : chosen
      const isGood = random(10) < 6
      const before = events.changes().length
      const save = pick(SAVES)
      save(join(door.dir, kind.path), isGood ? kind.good(`MARK${n}`, url) : pick(kind.broken))
      await expect
        .poll(
          () =>
            events
              .changes()
              .slice(before)
              .some(({ path }) => path === kind.path),
          {
            ...PATIENT,
            interval: 2,
            message: `seed ${seed}, edit ${n} of ${kind.path}, way ${SAVES.indexOf(save)}`,
          },
        )
        .toBe(true)
      const told = events
        .changes()
        .slice(before)
        .findLast(({ path }) => path === kind.path)
      const at = { seed, n, path: kind.path }
      expect({ ...at, isBroken: told?.problem !== undefined }).toEqual({ ...at, isBroken: !isGood })
      if (isGood && kind.path !== 'connections/api/spec.json') inUse.set(kind.path, `MARK${n}`)
      if (isGood || n % 10 === 0) {
        expect((await door.say('What now?')).status).toBe(200)
        const expected = [...inUse]
          .filter(([path]) => path !== 'connections/api/spec.json')
          .map(([, mark]) => mark)
        expect([n, marks(door)]).toEqual([n, [...new Set(expected)].sort()])
      }
      if (n === EDITS * 0.4) heap = await collected()
    }
    expect((await collected()) - heap).toBeLessThan(12_000_000)
  },
  isWhole() ? 900_000 : 120_000,
)

test("a broken edit is told, held back as a whole, and in nobody's way", async () => {
  const events = listener()
  const call = reply.toolsThenText({ name: 'ping', arguments: {} }, 'Done.')
  await using door = await openDoor({
    script: call,
    manifest: { plugins: [['repo-watch', { debounceMs: 40 }]] },
    entries: [events.entry],
    files: {
      'tools/ping.ts': HANDLER('MARK1'),
      'knowledge/a.md': '# A\n\nMARK2\n',
      'stores/things.json': STORE('MARK3'),
    },
  })
  const save = async (files: Readonly<Record<string, string>>): Promise<void> => {
    const before = events.changes().length
    for (const [path, text] of Object.entries(files)) SAVES[1]?.(join(door.dir, path), text)
    await expect
      .poll(
        () =>
          Object.keys(files).every((path) =>
            events
              .changes()
              .slice(before)
              .some((event) => event.path === path),
          ),
        PATIENT,
      )
      .toBe(true)
  }
  const ran = async (): Promise<string> =>
    JSON.stringify(await door.stream('Ping')).match(/ran[^}]*(MARK\d+)/)?.[1] ?? 'nothing'

  // Three files saved together are one edit: where one is broken, none is used.
  await save({
    'tools/ping.ts': 'export default defineToolHandler({ description: 4 +',
    'knowledge/a.md': '# A\n\nMARK22\n',
    'stores/things.json': JSON.stringify(STORE('MARK33')),
  })
  expect(await ran()).toBe('MARK1') // not what stands there
  expect(marks(door)).toEqual(['MARK1', 'MARK2', 'MARK3'])
  const health = await door.get('/health')
  expect(health.body['status']).toBe('degraded')
  expect(JSON.stringify(health.body['problems'])).toContain('tools/ping.ts:1')
  expect(
    door.log.some((line) => line.includes('files.held') && line.includes('tools/ping.ts:1')),
  ).toBe(true)

  // Others go on.
  await save({ 'knowledge/b.md': '# B\n\nMARK4\n' })
  expect(await ran()).toBe('MARK1')
  expect(marks(door)).toEqual(['MARK1', 'MARK2', 'MARK3', 'MARK4'])
  expect((await door.get('/health')).body['status']).toBe('degraded')

  // Once it is repaired, all of it is there.
  await save({ 'tools/ping.ts': HANDLER('MARK11') })
  expect(await ran()).toBe('MARK11')
  expect(marks(door)).toEqual(['MARK11', 'MARK22', 'MARK33', 'MARK4'])
  expect((await door.get('/health')).body['status']).toBe('ok')
}, 60_000)

test('.env, new folders, removed files and links are changes like any other', async () => {
  const events = listener()
  await using door = await openDoor({
    script: () => reply.text('Yes.'),
    manifest: { plugins: [['repo-watch', { debounceMs: 40 }]] },
    entries: [events.entry],
    files: {
      'knowledge/old.md': '# Old\n\nMARK1\n',
      'agents/main/AGENT.md': 'MARK2\n',
      'templates/text.md': '# T\n\nMARK3\n',
    },
  })
  const seen = async (): Promise<readonly string[]> => {
    await door.say('What now?')
    return marks(door)
  }
  rmSync(join(door.dir, 'knowledge'), { recursive: true })
  await expect.poll(seen, PATIENT).toEqual(['MARK2'])
  await write(door.dir, {
    'knowledge/new/deep/one.md': '# One\n\nMARK4\n',
    'skills/s/SKILL.md': '---\nname: s\ndescription: MARK5\n---\n\nText.\n',
  })
  await expect.poll(seen, PATIENT).toEqual(['MARK2', 'MARK4', 'MARK5'])
  writeFileSync(join(door.dir, 'knowledge/new/deep/one.md'), '# One\n\nMARK6\n')
  await expect.poll(seen, PATIENT).toEqual(['MARK2', 'MARK5', 'MARK6'])
  renameSync(join(door.dir, 'knowledge/new'), join(door.dir, 'knowledge/newer'))
  symlinkSync(join(door.dir, 'templates/text.md'), join(door.dir, 'knowledge/link.md'))
  await expect.poll(seen, PATIENT).toEqual(['MARK2', 'MARK3', 'MARK5', 'MARK6'])
  expect(door.running.agent.bundle()?.knowledge.map(({ name }) => name)).toEqual([
    'link',
    'newer/deep/one',
  ])

  await write(door.dir, {
    'amodal.json': { ...manifest('MARK7', door.model.url), description: 'env:WHAT' },
  })
  await expect
    .poll(() => events.changes().at(-1)?.problem, PATIENT)
    .toContain('the variable WHAT is not set')
  expect(await seen()).not.toContain('MARK7')
  // What was missing is there: the edit that waited for it is in use, though its own file was not
  // saved again.
  await write(door.dir, { '.env': 'WHAT=something\n' })
  await expect.poll(seen, PATIENT).toContain('MARK7')
}, 60_000)

test('a new wiring in amodal.json is taken over, and a wrong one is not', async () => {
  const events = listener()
  await using door = await openDoor({
    script: () => reply.text('Yes.'),
    manifest: { plugins: [['repo-watch', { debounceMs: 40 }]] },
    entries: [events.entry],
  })
  const tools = async (): Promise<string> => {
    await door.say('Hello')
    return JSON.stringify(door.model.requests.at(-1)?.body.tools)
  }
  const amodal = (plugins: readonly object[]) => ({
    ...manifest('MARK1', door.model.url),
    plugins: [['repo-watch', { debounceMs: 40 }], ...plugins],
  })
  expect(await tools()).toContain('fetch_url')
  const generation = door.running.kernel.current().id
  await write(door.dir, {
    'amodal.json': { ...amodal([]), description: 'The wiring is the same.' },
  })
  await expect
    .poll(() => door.running.agent.bundle()?.manifest.description, PATIENT)
    .toBe('The wiring is the same.')
  expect(door.running.kernel.current().id).toBe(generation)

  await write(door.dir, { 'amodal.json': amodal([{ without: 'tools-web' }]) })
  await expect.poll(tools, PATIENT).not.toContain('fetch_url')
  expect(door.running.kernel.current().id).toBe(generation + 1)

  await write(door.dir, { 'amodal.json': amodal([{ use: 'no-such-plugin' }]) })
  await expect
    .poll(() => events.changes().at(-1)?.problem, PATIENT)
    .toMatch(/amodal.json:\d+ .*no-such-plugin/)
  expect(await tools()).not.toContain('fetch_url')
  expect(door.running.kernel.current().id).toBe(generation + 1)
  await write(door.dir, { 'amodal.json': amodal([]) })
  await expect.poll(tools, PATIENT).toContain('fetch_url')
}, 60_000)

/** Edits of the manifest that exchange the agent itself, or whoever reads its files. */
const REWIRED: readonly (readonly [
  what: string,
  manifest: (plain: ReturnType<typeof manifest>) => object,
])[] = [
  ['the loop', (plain) => ({ ...plain, runtime: { maxTurns: 21 } })],
  [
    'a plugin that tools are of',
    (plain) => ({ ...plain, plugins: [...plain.plugins, { without: 'tools-web' }] }),
  ],
  [
    'the reader of the files',
    (plain) => ({ ...plain, plugins: [...plain.plugins, ['repo-files', { maxFiles: 1_999 }]] }),
  ],
]

test.each(REWIRED)(
  'a file that is held back keeps its last good version where an edit exchanges %s',
  async (_what, rewired) => {
    const events = listener()
    const call = reply.toolsThenText(
      [
        { name: 'store_things', arguments: { id: 'a' } },
        { name: 'ping', arguments: {} },
      ],
      'Done.',
    )
    await using door = await openDoor({
      script: call,
      manifest: { plugins: [['repo-watch', { debounceMs: 40 }]] },
      entries: [events.entry],
      files: { 'stores/things.json': STORE('MARK1'), 'tools/ping.ts': HANDLER('MARK2') },
    })
    const save = async (path: string, content: string | object): Promise<void> => {
      const before = events.changes().length
      await write(door.dir, { [path]: content })
      await expect
        .poll(
          () =>
            events
              .changes()
              .slice(before)
              .some((event) => event.path === path),
          PATIENT,
        )
        .toBe(true)
    }
    const works = async (): Promise<readonly unknown[]> =>
      (await door.stream('Store it, and ping'))
        .filter(({ type }) => type === 'tool_call_result')
        .map(({ status }) => status)
    const plain = {
      ...manifest('MARK3', door.model.url),
      plugins: [['repo-watch', { debounceMs: 40 }]],
    }

    await save('stores/things.json', '{ "entity": ')
    await save('tools/ping.ts', 'export default defineToolHandler({ description: 4 +')
    expect(await works()).toEqual(['success', 'success'])
    const generation = door.running.kernel.current().id
    await save('amodal.json', rewired(plain))
    await expect.poll(() => door.running.kernel.current().id, PATIENT).toBe(generation + 1)
    expect(await works()).toEqual(['success', 'success'])
    expect(marks(door)).toEqual(['MARK1', 'MARK2', 'MARK3'])
    const { body: health } = await door.get('/health')
    expect(health['status']).toBe('degraded')
    expect(JSON.stringify(health['problems'])).toContain('stores/things.json')

    // What is saved next is told from what is held back, as before.
    await save('tools/ping.ts', HANDLER('MARK22'))
    await expect
      .poll(async () => [await works(), marks(door)], PATIENT)
      .toEqual([
        ['success', 'success'],
        ['MARK1', 'MARK22', 'MARK3'],
      ])
    await save('stores/things.json', STORE('MARK11'))
    await expect
      .poll(async () => [await works(), marks(door)], PATIENT)
      .toEqual([
        ['success', 'success'],
        ['MARK11', 'MARK22', 'MARK3'],
      ])
    expect((await door.get('/health')).body['status']).toBe('ok')
  },
  60_000,
)
