import { describe, expect, test } from 'vitest'
import { runId, sessionId, tenantId } from '../../src/ids.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { SessionLease } from '../../src/journal/lease.ts'
import { JournalWriter } from '../../src/journal/writer.ts'
import { failure, type Failure } from '../../src/errors.ts'
import type { Commit, CommitVerdict, JournalStore } from '../../src/ports/journal-store.ts'
import { IDLE } from '../../src/loop/state.ts'
import { ok, type Result } from '../../src/result.ts'
import { systemClock } from '../../src/time.ts'

const note = (text: string): JournalEntry => ({
  v: 1,
  kind: 'note',
  run: runId('r'),
  at: 0,
  code: 'x',
  text,
})
const item = (key: string, control: boolean) => ({ key, n: 0, body: '{}', control })
const fine: CommitVerdict = {
  verdict: 'ok',
  stillOwned: true,
  released: false,
  messages: 0,
  controls: 0,
}
const broke = {
  ok: false,
  error: failure('STORE_FAILED', 'broke', { details: { connection: true } }),
} as const

/**
 * A writer on a store with one answer per commit; the last answer is repeated.
 */
function writer(
  answers: readonly (
    | Result<CommitVerdict, Failure>
    | (() => Promise<Result<CommitVerdict, Failure>>)
  )[],
  leaseMs = 1_000,
) {
  const commits: Commit[] = []
  const commit: JournalStore['commit'] = async (request) => {
    commits.push(request)
    const answer = answers[Math.min(commits.length, answers.length) - 1] ?? ok(fine)
    return typeof answer === 'function' ? answer() : answer
  }
  const lease = new SessionLease(systemClock, systemClock.monotonic(), leaseMs)
  const row = { tenant: tenantId('t'), session: sessionId('s'), head: 4, fencingToken: 2 }
  return {
    commits,
    lease,
    writer: new JournalWriter(
      { commit },
      row,
      lease,
      { leaseMs: 1_000, storeMs: 200 },
      systemClock,
    ),
  } // the one method that is asked for
}

test('entries get the places behind the head, and one commit carries them all', async () => {
  const { writer: it, commits } = writer([ok(fine)])
  expect([it.stage(note('a')).seq, it.stage(note('b'), 'sealed').seq]).toEqual([5, 6])
  it.acknowledge(item('m', false))
  it.acknowledge(item('c', true))
  it.erase(3)
  expect(await it.commit(IDLE, 'hold')).toMatchObject({
    kind: 'ok',
    entries: [
      { seq: 5, text: 'a' },
      { seq: 6, text: 'b', sealed: 'sealed' },
    ],
  })
  expect(commits).toMatchObject([
    {
      base: 4,
      fencingToken: 2,
      end: 'hold',
      acknowledged: { messages: ['m'], controls: ['c'] },
      erase: [3],
    },
  ])
  expect(commits[0]?.entries.map(({ body, sealed }) => [JSON.parse(body), sealed])).toEqual([
    [note('a'), undefined],
    [note('b'), 'sealed'],
  ])
  it.stage(note('c'))
  await it.commit(IDLE, 'hold')
  expect(commits[1]).toMatchObject({
    base: 6,
    acknowledged: { messages: [], controls: [] },
    erase: [],
  })
})

test('a commit in doubt is retried with its key until its outcome is known', async () => {
  const { writer: it, commits } = writer([
    broke,
    () => Promise.reject(new Error('socket')),
    () => new Promise(() => undefined),
    ok(fine),
  ])
  it.stage(note('a'))
  expect(await it.commit(IDLE, 'hold')).toMatchObject({ kind: 'ok', stillOwned: true })
  expect(new Set(commits.map(({ key }) => key)).size).toBe(1)
  expect(commits).toHaveLength(4)
})

describe('what stays unknown, and what does not', () => {
  test('past the end of the lease it is in doubt', async () => {
    const { writer: it } = writer([broke], 60)
    expect(await it.commit(IDLE, 'hold')).toMatchObject({
      kind: 'doubt',
      failure: { code: 'COMMIT_IN_DOUBT' },
    })
  })

  test('where another owner is known to have the session it is lost', async () => {
    const { writer: it, lease } = writer([broke])
    const committing = it.commit(IDLE, 'hold')
    lease.lose('claimed again')
    expect(await committing).toEqual({ kind: 'lost' })
  })

  test.each(['fenced', 'gap'] as const)('%s is lost', async (verdict) => {
    expect(await writer([ok({ verdict })]).writer.commit(IDLE, 'hold')).toEqual({ kind: 'lost' })
  })

  test('data that is refused is not tried again', async () => {
    const { writer: it, commits } = writer([
      { ok: false, error: failure('STORE_FAILED', 'too long') },
    ])
    it.stage(note('a'))
    expect(await it.commit(IDLE, 'hold')).toMatchObject({
      kind: 'refused',
      failure: { message: 'too long' },
    })
    expect(commits).toHaveLength(1)
  })
})

test('what is discarded leaves its place free, and the inbox item it answered is taken all the same', async () => {
  const { writer: it, commits } = writer([ok(fine)])
  it.stage(note('a'))
  it.acknowledge(item('m', false))
  it.discard()
  expect(it.stage(note('b')).seq).toBe(5)
  await it.commit(IDLE, 'hold')
  expect(commits[0]).toMatchObject({
    acknowledged: { messages: ['m'] },
    entries: [{ body: expect.stringContaining('"b"') }],
  })
})

test('a commit that is still ours prolongs the lease', async () => {
  const { writer: it, lease } = writer([ok(fine)], 300)
  await it.commit(IDLE, 'hold')
  expect(lease.remainingMs()).toBeGreaterThan(900)
  const stranger = writer([ok({ ...fine, stillOwned: false })], 300)
  await stranger.writer.commit(IDLE, 'hold')
  expect(stranger.lease.remainingMs()).toBeLessThanOrEqual(300)
})
