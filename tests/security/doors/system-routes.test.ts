import { isList, isObject, JobQueue, Log, tenantId, type Json, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'

const PEOPLE = {
  anna: { tenant: 'acme' },
  carl: { scopes: ['chat', 'audit'] },
  backend: {},
}
const rows = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : []

describe('queue and log over HTTP', () => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor({ env: keysOf(PEOPLE), script: () => reply.text('done') })
  })
  afterAll(() => door[Symbol.asyncDispose]())

  test('the queue says what waits, since when, what has failed, and who takes it', async () => {
    const queue = door.running.kernel.scope.get(JobQueue)
    const signal = AbortSignal.timeout(20_000)
    const published = await queue.publish(
      [
        { queue: 'unattended', data: { secret: 'of acme' }, tenant: tenantId('acme') },
        { queue: 'unattended', data: {}, at: Date.now() + 3_600_000 },
        ...['acme', 'beta'].map((tenant) => ({
          queue: 'failing',
          data: { secret: `of ${tenant}` },
          tenant: tenantId(tenant),
        })),
      ],
      signal,
    )
    expect(published.ok).toBe(true)
    const worker = queue.work({
      queue: 'failing',
      concurrency: 2,
      handler: ({ tenant }) => Promise.resolve({ kind: 'dead', reason: `full, says ${tenant}` }),
    })
    expect(worker.ok).toBe(true)
    const report = async (who: string): Promise<JsonObject> =>
      (await door.get('/inspect/queue', as(who))).body
    await expect.poll(async () => rows((await report('backend'))['dead']).length).toBe(2)

    const body = await report('backend')
    const named = (name: string): JsonObject | undefined =>
      rows(body['queues']).find(({ queue: one }) => one === name)
    expect(named('unattended')).toMatchObject({ waiting: 1, delayed: 1, active: 0, dead: 0 })
    const oldest = Date.parse(textIn(named('unattended') ?? {}, 'oldest'))
    expect(Math.abs(Date.now() - oldest)).toBeLessThan(60_000)
    expect(named('unattended')).toMatchObject({ worker: null })
    expect(named('failing')).toMatchObject({
      dead: 2,
      oldest: null,
      worker: { takes: true, concurrency: 2, active: 0 },
    })
    expect(body['processes']).toBe(1)
    expect(JSON.stringify(body)).not.toContain('of acme')
    expect(rows((await report('anna'))['dead']).map(({ reason }) => reason)).toEqual([
      'full, says acme',
    ])
    expect((await door.get('/inspect/queue', as('carl'))).status).toBe(403)
  })

  test('the log is read by level, text and place, without secrets', async () => {
    const log = door.running.kernel.scope.get(Log)
    log.info('reports.begun', { month: '2026-05' })
    log.warn('reports.slow', { password: 'very secret', note: 'A Text To Find' })
    const read = async (query: string, who = 'backend') =>
      door.get(`/inspect/logs?${query}`, as(who))
    const all = await read('limit=1000')
    expect(all.text).not.toContain('very secret')
    const events = rows(all.body['lines']).map(({ event }) => event)
    expect(events.indexOf('reports.slow')).toBeLessThan(events.indexOf('reports.begun'))
    expect(rows((await read('q=a+text+to+find')).body['lines'])).toMatchObject([
      { level: 'warn', event: 'reports.slow', password: expect.any(String) as string },
    ])
    const warnings = rows((await read('level=warn')).body['lines'])
    expect(new Set(warnings.map(({ level }) => level))).toEqual(new Set(['warn']))

    const newest = Number(all.body['newest'])
    log.error('reports.failed', { message: 'the disk is full' })
    const next = await read(`after=${newest}&level=error`)
    expect(rows(next.body['lines'])).toMatchObject([{ event: 'reports.failed' }])
    for (const wrong of ['level=loud', 'limit=0', 'after=x'])
      expect((await read(wrong)).body).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    // of all tenants
    for (const who of ['anna', 'carl'])
      expect((await read('', who)).body).toMatchObject({ error: { code: 'FORBIDDEN_SCOPE' } })
  })
})
