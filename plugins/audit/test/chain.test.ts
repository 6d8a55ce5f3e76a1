import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dbPglite } from '@amodal/plugin-db-pglite'
import {
  type AuditDraft,
  Database,
  explain,
  type JournalEntry,
  Kernel,
  LOCAL_TENANT,
  Migrations,
  ok,
  principalId,
  type Result,
  runId,
  sessionId,
  silentLogger,
  systemClock,
  tenantId,
  type TenantId,
  unwrap,
  use,
} from '@amodal/sdk'
import { catalogueProblems } from '@amodal/sdk/database'
import { pluginContract } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acknowledgementLine } from '../src/acknowledgement.ts'
import { CheckpointFile } from '../src/checkpoint-file.ts'
import { type CheckpointSet, readCheckpoints } from '../src/checkpoint-set.ts'
import { DatabaseChains } from '../src/database-store.ts'
import { isPlaced } from '../src/finding.ts'
import { audit } from '../src/index.ts'
import { refusals } from '../src/refusals.ts'
import { Sealing } from '../src/sealing.ts'
import { Signer } from '../src/signer.ts'
import { draftsOfJournal } from '../src/lines-of.ts'
import { MemoryChains } from '../src/memory-store.ts'
import type { AuditLine } from '../src/line.ts'
import type { ChainStore } from '../src/store.ts'
import { Trail } from '../src/trail.ts'
import { verifyChain } from '../src/verify.ts'

const signal = AbortSignal.timeout(60_000)
let kernel: Kernel
beforeAll(async () => {
  kernel = unwrap(
    await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(audit)]),
    explain,
  )
})
afterAll(() => kernel.close())

const given = <T>(result: Result<T, { readonly message: string }>): T =>
  unwrap(result, ({ message }) => message)
let tenants = 0
const fresh = () => tenantId(`t${++tenants}`)
const later = (): number => Number.MAX_SAFE_INTEGER // no server is adding lines
const set = async (own?: string): Promise<CheckpointSet> =>
  given(await readCheckpoints({ own, copies: undefined, given: [], key: undefined }, later, signal))
const verified = async (store: ChainStore, tenant: TenantId, known?: CheckpointSet) => {
  const checkpoints = known ?? (await set())
  return given(
    await verifyChain(
      { store, checkpoints: () => Promise.resolve(ok(checkpoints)), now: later, signal },
      tenant,
      checkpoints,
    ),
  )
}
const sign = (folder: string, tenant: TenantId, line: AuditLine | undefined): void => {
  if (line)
    given(
      new CheckpointFile(given(Signer.open(folder, undefined))).add(
        new Map([[tenant, line]]),
        1_700_000_000_000,
      ),
    )
}
const draft = (tenant: AuditDraft['tenant'], key: string): AuditDraft => ({
  tenant,
  key,
  kind: 'tool_call',
  at: 1_700_000_000_000,
  data: { tool: 'pay', n: key },
})

pluginContract(audit, { config: {}, with: [use(dbPglite, { dataDir: 'memory://' })] })

test("its tables are such as every plugin's must be", async () => {
  expect(
    await catalogueProblems(
      kernel.scope.get(Database),
      [...kernel.current().registry(Migrations).values()],
      {},
      signal,
    ),
  ).toEqual(ok([]))
})

describe.each<readonly [string, () => ChainStore]>([
  ['in memory', () => new MemoryChains()],
  ['in the database', () => new DatabaseChains(kernel.scope.get(Database))],
])('a chain %s', (_name, make) => {
  test('grows by what is new, and is sound', async () => {
    const [store, tenant] = [make(), fresh()]
    given(
      await store.append(
        tenant,
        [draft(tenant, 'a'), draft(tenant, 'b'), draft(tenant, 'a')],
        signal,
      ),
    )
    expect(
      given(await store.append(tenant, [draft(tenant, 'b'), draft(tenant, 'c')], signal)).map(
        ({ n, key }) => [n, key],
      ),
    ).toEqual([[3, 'c']])
    expect(given(await store.read(tenant, { limit: 10 }, signal)).map(({ key }) => key)).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(await verified(store, tenant)).toEqual({
      tenant,
      lines: 3,
      problems: [],
      acknowledged: [],
      notes: ['lines up to 3 are of a release that did not seal them: the next start does'],
    })
    expect(given(await store.tenants(signal))).toContain(tenant)
  })

  test('of one tenant knows nothing of another', async () => {
    const [store, one, other] = [make(), fresh(), fresh()]
    given(await store.append(one, [draft(one, 'a')], signal))
    expect(given(await store.read(other, { limit: 10 }, signal))).toEqual([])
    expect(await verified(store, other)).toMatchObject({ lines: 0, problems: [] })
  })
})

test('several processes add to one chain at once: every line is there once, and the chain is sound', async () => {
  const tenant = fresh()
  const stores = [1, 2, 3, 4].map(() => new DatabaseChains(kernel.scope.get(Database)))
  const added = await Promise.all(
    stores.flatMap((store, at) =>
      Array.from({ length: 10 }, (_, n) =>
        store.append(tenant, [draft(tenant, `${at}-${n}`), draft(tenant, 'shared')], signal),
      ),
    ),
  )
  added.forEach(given)
  const lines = given((await stores[0]?.read(tenant, { limit: 100 }, signal)) ?? ok([]))
  expect(lines).toHaveLength(41)
  expect(new Set(lines.map(({ key }) => key)).size).toBe(41)
  expect((await verified(new DatabaseChains(kernel.scope.get(Database)), tenant)).problems).toEqual(
    [],
  )
})

test('the database refuses to change or delete a line', async () => {
  const tenant = fresh()
  given(
    await new DatabaseChains(kernel.scope.get(Database)).append(
      tenant,
      [draft(tenant, 'a')],
      signal,
    ),
  )
  for (const sql of [
    "update audit_line set body = '{}'",
    'delete from audit_line',
    'truncate audit_line',
    "update audit_line set body = '', session = null, key = 'erased:' || n",
  ]) {
    expect(await kernel.scope.get(Database).run({ sql, parameters: [] }, signal)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('only added') as string },
    })
  }
  for (const sql of [
    'update audit_head set n = 0',
    "update audit_head set hash = ''",
    'delete from audit_head',
    'truncate audit_head',
    'truncate audit_line, audit_head cascade',
  ]) {
    expect(await kernel.scope.get(Database).run({ sql, parameters: [] }, signal)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/only moves on|only added/) as string },
    })
  }
  // An erasure takes the text of a line away, and can do nothing else.
  for (const sql of [
    "update audit_line set body = '{}'",
    "update audit_line set hash = 'x', body = '', session = null, key = 'erased:' || n",
    'delete from audit_line',
  ]) {
    expect(
      await kernel.scope.get(Database).run(
        {
          before: [
            { sql: "select set_config('amodal.audit_erasure', 'on', true)", parameters: [] },
          ],
          sql,
          parameters: [],
        },
        signal,
      ),
    ).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('only added') as string },
    })
  }
})

describe('who gets round that is found out', () => {
  const tampered = async (...statements: readonly string[]): Promise<readonly string[]> => {
    const tenant = fresh()
    const database = kernel.scope.get(Database)
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    const sealing = new Sealing({
      folder,
      copies: undefined,
      key: () => undefined,
      exclusive: true,
      clock: systemClock,
      log: silentLogger,
    })
    const store = new DatabaseChains(database, sealing)
    const lines = given(
      await store.append(
        tenant,
        Array.from({ length: 20 }, (_, n) => draft(tenant, `k${n}`)),
        signal,
      ),
    )
    const last = lines.at(-1)
    if (last) sealing.count(tenant, last)
    await sealing.close()
    const tables = ['audit_line', 'audit_head']
    for (const sql of [
      ...tables.map((name) => `alter table ${name} disable trigger user`),
      ...statements.map((one) => one.replaceAll('MINE', `tenant = '${tenant}'`)),
      ...tables.map((name) => `alter table ${name} enable trigger user`),
    ])
      given(await database.run({ sql, parameters: [] }, signal))
    const { problems } = await verified(store, tenant, await set(folder))
    await rm(folder, { recursive: true })
    return problems.map(({ text }) => text)
  }

  test.each<readonly [string, readonly string[], RegExp]>([
    ['nothing changed', [], /^$/],
    [
      'a changed text',
      ["update audit_line set body = replace(body, 'pay', 'say') where MINE and n = 7"],
      /line 7 was changed/,
    ],
    [
      'a changed hash',
      ["update audit_line set hash = repeat('0', 64) where MINE and n = 7"],
      /line 7 was changed/,
    ],
    [
      'a changed key',
      ["update audit_line set key = 'x' where MINE and n = 7"],
      /line 7 was changed/,
    ],
    [
      'another session',
      ["update audit_line set session = 'x' where MINE and n = 7"],
      /line 7 was changed/,
    ],
    ['a line taken out', ['delete from audit_line where MINE and n = 7'], /line 7 is missing/],
    [
      'two lines exchanged',
      [
        'update audit_line set n = case n when 7 then 108 when 8 then 107 end where MINE and n in (7, 8)',
        'update audit_line set n = n - 100 where MINE and n > 100',
      ],
      /line 7 was changed/,
    ],
    [
      'lines taken off the end',
      ['delete from audit_line where MINE and n > 15'],
      /ends at line 15/,
    ],
    [
      'lines and head taken off the end',
      [
        'delete from audit_line where MINE and n > 15',
        'update audit_head set n = 15, hash = (select hash from audit_line where MINE and n = 15) where MINE',
      ],
      /line 20 was signed, and the chain ends at line 15/,
    ],
    [
      'all of it',
      ['delete from audit_line where MINE', 'delete from audit_head where MINE'],
      /line 20 was signed/,
    ],
  ])('%s', async (_name, statements, problem) => {
    expect((await tampered(...statements)).join('\n')).toMatch(problem)
  })

  test('a chain that was written anew as a whole is not the one that was signed', async () => {
    const tenant = fresh()
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    const [real, forged] = [new MemoryChains(), new MemoryChains()]
    sign(
      folder,
      tenant,
      given(await real.append(tenant, [draft(tenant, 'a'), draft(tenant, 'b')])).at(-1),
    )
    given(await forged.append(tenant, [draft(tenant, 'a'), draft(tenant, 'other')]))
    const known = await set(folder)
    expect(known.problems).toEqual([])
    expect((await verified(forged, tenant, known)).problems.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('line 2 is not the one that was signed')]),
    )

    // A checkpoint that was made up is none.
    const file = join(folder, 'checkpoints.jsonl')
    await writeFile(file, (await readFile(file, 'utf8')).replace(',2,', ',1,'))
    expect((await set(folder)).problems).toEqual([expect.stringContaining('not signed')])
    await rm(folder, { recursive: true })
  })
})

describe('what a server finds of its own log', () => {
  const TENANT = tenantId('found')

  /** A process of its own, with what the ones before have left in the folder. */
  const processIn = (folder: string): { store: DatabaseChains; sealing: Sealing } => {
    const sealing = new Sealing({
      folder,
      copies: undefined,
      key: () => undefined,
      exclusive: true,
      clock: systemClock,
      log: silentLogger,
    })
    return { sealing, store: new DatabaseChains(kernel.scope.get(Database), sealing) }
  }
  const kindsIn = async (): Promise<readonly unknown[]> =>
    given(
      await new DatabaseChains(kernel.scope.get(Database)).read(TENANT, { limit: 100 }, signal),
    ).map(({ body }) => (JSON.parse(body) as { readonly kind: unknown }).kind)

  test('is written down once more where the same checkpoint is missing for the second time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    const file = join(folder, 'checkpoints.jsonl')
    const checkpoints = new CheckpointFile(given(Signer.open(folder, undefined)))
    const head = new Map([[TENANT, { n: 0, hash: '' }]])
    for (const round of [1, 2]) {
      while (checkpoints.seq < 3) given(checkpoints.add(head, 0))
      given(
        await processIn(folder).store.append(TENANT, [draft(TENANT, `before ${round}`)], signal),
      )
      const [first = ''] = (await readFile(file, 'utf8')).split('\n')
      await writeFile(file, `${first}\n`)
      checkpoints.refresh()
      given(await processIn(folder).store.append(TENANT, [draft(TENANT, `after ${round}`)], signal))
    }
    expect((await kindsIn()).filter((kind) => kind === 'audit_checkpoints_missing')).toHaveLength(2)
    await rm(folder, { recursive: true })
  })
})

test('findings that are too many to list are not acknowledged with those that are', async () => {
  const tenant = fresh()
  const signer = given(Signer.open(await mkdtemp(join(tmpdir(), 'amodal-audit-')), undefined))
  const store = new MemoryChains()
  given(
    await store.append(
      tenant,
      Array.from({ length: 10_002 }, (_, n) => draft(tenant, `k${n}`)),
    ),
  )
  // Each line says another number than its place.
  const changed: ChainStore = {
    append: (of, drafts) => store.append(of, drafts),
    head: (of) => store.head(of),
    tenants: () => store.tenants(),
    read: async (of, range) =>
      ok(
        given(await store.read(of, range)).map((line) =>
          line.key.startsWith('k') ? { ...line, key: 'other' } : line,
        ),
      ),
  }
  const known = { ...(await set()), signers: new Set([signer.key]) }
  const before = await verified(changed, tenant, known)
  expect(before.problems).toHaveLength(10_001)
  given(
    await store.append(
      tenant,
      before.problems.filter(isPlaced).map((finding) =>
        acknowledgementLine(signer, {
          tenant,
          finding,
          principal: principalId('olga'),
          reason: 'known',
          at: 1_700_000_000_000,
        }),
      ),
    ),
  )
  const after = await verified(changed, tenant, known)
  expect(after.acknowledged).toHaveLength(10_000)
  expect(after.problems.map(({ text }) => text)).toEqual(['2 more findings were too many to list'])
  await rm(signer.folder, { recursive: true })
})

describe('lines on their way', () => {
  test('wait for a store that is away, in order; whoever waits for a line is told', async () => {
    const tenant = fresh()
    const inner = new MemoryChains()
    let away = true
    const store: ChainStore = {
      append: (of, drafts) =>
        away
          ? Promise.resolve({ ok: false, error: { code: 'STORE_FAILED', message: 'away' } })
          : inner.append(of, drafts),
      read: (of, range) => inner.read(of, range),
      head: (of) => inner.head(of),
      tenants: () => inner.tenants(),
    }
    const trail = new Trail(store, silentLogger, () => undefined)
    trail.record(draft(tenant, 'a'))
    expect(await trail.write(draft(tenant, 'w'), signal)).toMatchObject({
      ok: false,
      error: { code: 'AUDIT_UNAVAILABLE' },
    })
    trail.record(draft(tenant, 'b'))
    away = false
    expect(await trail.write(draft(tenant, 'c'), signal)).toEqual(ok(undefined))
    await trail.flush()
    expect(given(await inner.read(tenant, { limit: 9 })).map(({ key }) => key)).toEqual([
      'a',
      'b',
      'c',
    ])
    trail.close()
  })

  test('travel together', async () => {
    const tenant = fresh()
    const inner = new MemoryChains()
    let flights = 0
    const store: ChainStore = {
      append: (of, drafts) => {
        flights++
        return inner.append(of, drafts)
      },
      read: (of, range) => inner.read(of, range),
      head: (of) => inner.head(of),
      tenants: () => inner.tenants(),
    }
    const trail = new Trail(store, silentLogger, () => undefined)
    const kept = await Promise.all(
      Array.from({ length: 200 }, (_, n) => trail.write(draft(tenant, `k${n}`), signal)),
    )
    expect(kept.every((one) => one.ok)).toBe(true)
    expect(flights).toBe(1)
    trail.close()
  })
})

describe('checkpoints', () => {
  const sealingIn = (folder: string, copies?: string): Sealing =>
    new Sealing({
      folder,
      copies,
      key: () => undefined,
      exclusive: true,
      clock: systemClock,
      log: silentLogger,
    })
  const recordsOf = async (
    file: string,
  ): Promise<
    readonly {
      readonly at: string
      readonly heads: readonly (readonly [string, number, string])[]
    }[]
  > =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map(
        (line) =>
          JSON.parse(line) as {
            readonly at: string
            readonly heads: readonly (readonly [string, number, string])[]
          },
      )

  test('are made soon after a line, and not more often than every 750 ms, however many lines and chains there are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    const sealing = sealingIn(folder, join(folder, 'copies'))
    const file = join(folder, 'checkpoints.jsonl')
    const begun = performance.now()
    let n = 0
    while (performance.now() - begun < 2_000) {
      n++
      for (const tenant of ['one', 'other']) sealing.count(tenantId(tenant), { n, hash: `${n}` })
      await new Promise((resolve) => {
        setTimeout(resolve, 5)
      })
    }
    await expect
      .poll(async () => (await recordsOf(file)).at(-1)?.heads)
      .toEqual([
        ['one', n, `${n}`],
        ['other', n, `${n}`],
      ])
    const before = await recordsOf(file)
    const times = before.map(({ at }) => Date.parse(at))
    times
      .slice(1)
      .forEach((at, index) => expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(740))
    // Nothing was written since: nothing is signed.
    await sealing.close()
    await sealingIn(folder).close()
    expect(await recordsOf(file)).toEqual(before)
    expect((await set(folder)).problems).toEqual([])
    const [name = ''] = (await readdir(join(folder, 'copies'))).filter((one) =>
      one.endsWith('.jsonl'),
    )
    expect(await readFile(join(folder, 'copies', name), 'utf8')).toBe(await readFile(file, 'utf8'))
    await rm(folder, { recursive: true })
  })

  test('of processes that share a folder follow each other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    await Promise.all(
      [1, 2, 3].map(async (who) => {
        const sealing = sealingIn(folder)
        for (let n = 1; n <= 3; n++) {
          sealing.count(tenantId(`t${who}`), { n, hash: `${n}` })
          await sealing.close()
        }
      }),
    )
    const { problems, signed, count } = await set(folder)
    expect(problems).toEqual([])
    expect([1, 2, 3].map((who) => Math.max(...(signed.get(`t${who}`)?.keys() ?? [])))).toEqual([
      3, 3, 3,
    ])
    expect(count).toBe(9)
    await rm(folder, { recursive: true })
  })

  test('of an earlier release stand, and later ones follow them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'amodal-audit-'))
    const signer = given(Signer.open(folder, undefined))
    const early = { tenant: 't', n: 4, hash: 'a', at: '2026-01-01T00:00:00.000Z', key: signer.key }
    await writeFile(
      join(folder, 'checkpoints.jsonl'),
      `${JSON.stringify({ ...early, signature: signer.sign(early) })}\n`,
    )
    given(new CheckpointFile(signer).add(new Map([['t', { n: 9, hash: 'b' }]]), 0))
    const { problems, signed } = await set(folder)
    expect(problems).toEqual([])
    expect([...(signed.get('t')?.keys() ?? [])]).toEqual([4, 9])
    const text = await readFile(join(folder, 'checkpoints.jsonl'), 'utf8')
    await writeFile(join(folder, 'checkpoints.jsonl'), text.slice(text.indexOf('\n') + 1))
    expect((await set(folder)).problems).toEqual([
      expect.stringContaining('checkpoint 1 is missing'),
    ])
    await rm(folder, { recursive: true })
  })
})

test('a line that has been sent is waited for at the end', async () => {
  const tenant = fresh()
  const inner = new MemoryChains()
  const { promise: sent, resolve: isSent } = Promise.withResolvers<void>()
  const { promise: answer, resolve: answers } = Promise.withResolvers<void>()
  const store: ChainStore = {
    append: async (of, drafts) => {
      isSent()
      await answer
      return inner.append(of, drafts)
    },
    read: (of, range) => inner.read(of, range),
    head: (of) => inner.head(of),
    tenants: () => inner.tenants(),
  }
  const trail = new Trail(store, silentLogger, () => undefined)
  trail.record(draft(tenant, 'a'))
  await sent
  let isOver = false
  const flushed = trail.flush().then(() => {
    isOver = true
  })
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(isOver).toBe(false)
  answers()
  await flushed
  expect(given(await inner.read(tenant, { limit: 9 })).map(({ key }) => key)).toEqual(['a'])
  trail.close()
})

test('refused requests are recorded, and repeated ones cannot fill the log', async () => {
  const inner = new MemoryChains()
  const trail = new Trail(inner, silentLogger, () => undefined)
  const door = refusals(trail, { now: () => 0, monotonic: () => 0 })
  for (let n = 0; n < 5_000; n++)
    door.hear({
      code: 'UNAUTHENTICATED',
      method: 'POST',
      path: `/chat/${n}`,
      from: n % 2 === 0 ? '192.0.2.1' : `198.51.100.${n}`,
    })
  door.close()
  await trail.flush()
  const lines = given(await inner.read(LOCAL_TENANT, { limit: 5_000 })).map(
    ({ body }) =>
      JSON.parse(body) as { readonly data: { readonly count: number; readonly from: string } },
  )
  expect(lines.length).toBeLessThanOrEqual(1_001)
  expect(lines.find(({ data }) => data.from === '192.0.2.1')?.data.count).toBe(2_500)
  expect(lines.reduce((sum, { data }) => sum + data.count, 0)).toBe(5_000)
  trail.close()
})

test('lines that the journal knows wait for more of their kind, and go along with any that cannot be had again', async () => {
  const tenant = fresh()
  const inner = new MemoryChains()
  const sent: string[][] = []
  const { promise: first, resolve: isFirst } = Promise.withResolvers<void>()
  const store: ChainStore = {
    append: (of, drafts) => {
      sent.push(drafts.map(({ key }) => key))
      isFirst()
      return inner.append(of, drafts)
    },
    read: (of, range) => inner.read(of, range),
    head: (of) => inner.head(of),
    tenants: () => inner.tenants(),
  }
  const trail = new Trail(store, silentLogger, () => undefined)
  const begin = performance.now()
  trail.recordJournaled(draft(tenant, 'a'))
  trail.recordJournaled(draft(tenant, 'b'))
  trail.record(draft(tenant, 'c'))
  await first
  expect(sent).toEqual([['a', 'b', 'c']])
  expect(performance.now() - begin).toBeGreaterThanOrEqual(40)
  await trail.flush()
  trail.close()
})

test('after a crash the journal gives the first line of a session too', () => {
  const entry: JournalEntry = {
    v: 1,
    run: runId('r'),
    at: 7,
    kind: 'user_message',
    key: 'k',
    text: 'Hi',
    principal: principalId('ann'),
    bundle: 'b',
  }
  expect(
    draftsOfJournal([entry], { tenant: tenantId('t'), session: sessionId('s') }).map(
      ({ kind, key, at, principal }) => ({ kind, key, at, principal }),
    ),
  ).toEqual([
    { kind: 'session_start', key: 's:start', at: 7, principal: 'ann' },
    { kind: 'run_start', key: 'r:start', at: 7, principal: 'ann' },
  ])
})
