import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import dbPglite from '@amodal/plugin-db-pglite'
import sessions from '@amodal/plugin-sessions'
import { Database, unwrap, use, type Entry } from '@amodal/sdk'
import { runQuery, sql } from '@amodal/sdk/database'
import { expect, onTestFinished, test } from 'vitest'
import { Usage } from '../src/tokens.ts'
import { boot, type Door } from './support.ts'

const SERVER = fileURLToPath(new URL('killed-server.ts', import.meta.url))

async function rowsOf(door: Door): Promise<number> {
  const rows = await runQuery(
    door.scope.get(Database),
    sql<{ rows: number }>`select count(*)::bigint as rows from usage_run`,
    AbortSignal.timeout(60_000),
  )
  return unwrap(rows, ({ message }) => message)[0]?.rows ?? -1
}

test('runs whose rows a kill prevented are counted at the next start, once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-usage-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const dataDir = join(dir, 'data')
  const child = spawn(process.execPath, ['--conditions=@amodal/source', SERVER, dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [unknown, unknown]
  expect(signal).toBe('SIGKILL')
  const storage = (): readonly Entry[] => [use(dbPglite, { dataDir }), use(sessions)]

  const bare = await boot({ storage: storage(), bare: true })
  expect(await rowsOf(bare), 'the kill came before the rows').toBe(1)
  await bare.close()

  for (let starts = 0; starts < 2; starts++) {
    const door = await boot({ storage: storage() })
    await door.scope.get(Usage).sweep()
    expect(await rowsOf(door)).toBe(4)
    expect(await door.json('/api/usage')).toMatchObject({
      total: { runs: 3, tokens: { input: 3_000, output: 300 } },
    })
    expect(await door.json('/api/usage', { tenant: 'other' })).toMatchObject({
      total: { runs: 1 },
    })
    await door.close()
  }
})

test('a run that another process has left uncounted is counted with the next of its session', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-usage-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const storage = (): readonly Entry[] => [
    use(dbPglite, { dataDir: join(dir, 'data') }),
    use(sessions),
  ]
  const counting = await boot({ storage: storage() })
  const session = await counting.say('One')
  await counting.close()
  const bare = await boot({ storage: storage(), bare: true })
  await bare.say('Two', undefined, session)
  await bare.close()
  const door = await boot({ storage: storage() })
  await door.say('Three', undefined, session)
  await expect
    .poll(() => door.json('/api/usage'), { timeout: 30_000 })
    .toMatchObject({ total: { runs: 3 } })
  expect(await rowsOf(door)).toBe(3)
})
