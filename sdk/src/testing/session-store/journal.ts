import type { Commit } from '@amodal/kernel'
import type { SessionStore } from '../../ports/session-store.ts'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  finished,
  sessionRecordOf,
  message,
  newSession,
  signal,
  value,
  written,
} from './subject.ts'

/** Text that has gone wrong somewhere before. */
const TEXTS = [
  'ü € 😀 👩‍👩‍👧 ﷽',
  'עברית العربية',
  'a\u2028b\u2029c\u00a0d\ufeffe',
  '"quotes" \\back\\ \'ticks\' $1 %s',
  '{"nul":"\\u0000","half":"\\ud83d"}',
  'line\r\nbreak\ttab\u0001\u007f',
  '{}',
  'x'.repeat(200_000),
]

export function journalTests(store: () => SessionStore): void {
  it('keeps entries in their order, and reads on from any place', async () => {
    const { sessionRecord, key } = await claimed(store())
    expect(sessionRecord).toMatchObject({
      head: 0,
      fencingToken: 1,
      messages: 1,
      controls: 0,
      parked: false,
      status: 'active',
    })
    expect(
      written(
        await store().commit(
          commit(sessionRecord, ['1', '2'], {
            acknowledged: { messages: [key], controls: [] },
            state: '{"v":1,"step":1}',
          }),
          signal,
        ),
      ),
    ).toEqual({ verdict: 'ok', stillOwned: true, released: false, messages: 0, controls: 0 })
    written(
      await store().commit(commit({ ...sessionRecord, head: 2 }, ['3'], { end: 'end' }), signal),
    )
    expect(value(await store().entries(sessionRecord, { after: 0 }, signal))).toEqual([
      { seq: 1, body: '1' },
      { seq: 2, body: '2' },
      { seq: 3, body: '3' },
    ])
    expect(await bodiesOf(store(), sessionRecord, 2)).toEqual(['3'])
    expect(
      value(await store().entries(sessionRecord, { after: 0, upto: 2 }, signal)).map(
        ({ seq }) => seq,
      ),
    ).toEqual([1, 2])
    expect(
      value(await store().entries(sessionRecord, { after: 0, limit: 1 }, signal)).map(
        ({ seq }) => seq,
      ),
    ).toEqual([1])
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      head: 3,
      fencingToken: 1,
      owner: undefined,
      messages: 0,
      state: '{"v":1,"kind":"idle"}',
    })
  })

  it('gives back every text as it was', async () => {
    const sessionRecord = await finished(store(), TEXTS)
    expect(await bodiesOf(store(), sessionRecord)).toEqual(TEXTS)
  })

  it('reads any part of entries that were written together', async () => {
    const { sessionRecord } = await claimed(store())
    written(await store().commit(commit(sessionRecord, ['1', '2', '3']), signal))
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 3 }, ['4', '5', '6'], { end: 'end' }),
        signal,
      ),
    )
    const all = [1, 2, 3, 4, 5, 6]
    for (const after of [0, ...all])
      for (const upto of all)
        for (const limit of [1, 2, 6]) {
          const read = value(await store().entries(sessionRecord, { after, upto, limit }, signal))
          expect([after, upto, limit, ...read.map(({ seq, body }) => [seq, body])]).toEqual([
            after,
            upto,
            limit,
            ...all
              .filter((seq) => seq > after && seq <= upto)
              .slice(0, limit)
              .map((seq) => [seq, String(seq)]),
          ])
        }
  })

  it('erases what is sealed of any of the entries that were written together', async () => {
    for (const erase of [[2], [1, 3], [1, 2, 3], [4], [5, 2]]) {
      const { sessionRecord } = await claimed(store())
      const sealed = (seq: number) => ({ body: `open ${seq}`, sealed: `sealed ${seq}` })
      const first = { entries: [1, 2, 3].map(sealed) }
      written(await store().commit(commit(sessionRecord, [], first), signal))
      const second = { entries: [{ body: 'open 4' }, sealed(5)] }
      written(await store().commit(commit({ ...sessionRecord, head: 3 }, [], second), signal))
      written(
        await store().commit(
          commit({ ...sessionRecord, head: 5 }, ['6'], { erase, end: 'end' }),
          signal,
        ),
      )
      const read = value(await store().entries(sessionRecord, { after: 0 }, signal))
      const remaining = [1, 2, 3, 5]
        .filter((seq) => !erase.includes(seq))
        .map((seq) => `sealed ${seq}`)
      expect([erase, read.flatMap((entry) => entry.sealed ?? [])]).toEqual([erase, remaining])
      expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    }
  })

  it('has no entries of a session that nobody knows', async () => {
    expect(await bodiesOf(store(), newSession())).toEqual([])
    expect(value(await store().sessionRecord(newSession(), signal))).toBeUndefined()
  })

  it('writes a commit once, however often it is repeated', async () => {
    const { sessionRecord, key } = await claimed(store())
    const once = commit(sessionRecord, ['a', 'b'], {
      acknowledged: { messages: [key], controls: [] },
      end: 'end',
      add: { messages: 2, input: 7, output: 9 },
    })
    const first = written(await store().commit(once, signal))
    expect(first).toEqual({
      verdict: 'ok',
      stillOwned: true,
      released: true,
      messages: 0,
      controls: 0,
    })
    expect(written(await store().commit(once, signal))).toEqual(first)
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a', 'b'])
    expect(value(await store().row(sessionRecord, signal))).toMatchObject({
      messageCount: 2,
      inputTokens: 7,
      outputTokens: 9,
      head: 2,
    })
  })

  it('refuses a commit that builds on another head', async () => {
    const { sessionRecord } = await claimed(store())
    written(await store().commit(commit(sessionRecord, ['a']), signal))
    expect(value(await store().commit(commit(sessionRecord, ['b']), signal))).toEqual({
      verdict: 'gap',
    })
    expect(
      value(await store().commit(commit({ ...sessionRecord, head: 5 }, ['c']), signal)),
    ).toEqual({
      verdict: 'gap',
    })
    expect(await bodiesOf(store(), sessionRecord)).toEqual(['a'])
  })

  it('counts what is taken once, and only what was there', async () => {
    const { sessionRecord, key } = await claimed(store())
    const second = message(sessionRecord)
    value(await store().accept(second, signal))
    const acquired = { messages: [key, key, 'nobody-knows-it'], controls: [] }
    expect(
      written(
        await store().commit(commit(sessionRecord, ['a'], { acknowledged: acquired }), signal),
      ),
    ).toMatchObject({ messages: 1, controls: 0 })
    expect(
      written(
        await store().commit(
          commit({ ...sessionRecord, head: 1 }, ['b'], { acknowledged: acquired, end: 'end' }),
          signal,
        ),
      ),
    ).toMatchObject({ messages: 1, released: false })
    expect(value(await store().inbox(sessionRecord, signal))).toMatchObject([
      { key: second.key, body: second.body, control: false },
    ])
  })

  it('keeps a sealed part until it is erased', async () => {
    const { sessionRecord } = await claimed(store())
    written(
      await store().commit(
        commit(sessionRecord, [], {
          entries: [
            { body: 'open' },
            { body: 'shut', sealed: 'secret-2' },
            { body: 'shut too', sealed: 'secret-3' },
          ],
        }),
        signal,
      ),
    )
    expect(value(await store().entries(sessionRecord, { after: 0 }, signal))).toEqual([
      { seq: 1, body: 'open' },
      { seq: 2, body: 'shut', sealed: 'secret-2' },
      { seq: 3, body: 'shut too', sealed: 'secret-3' },
    ])
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 3 }, ['after'], { erase: [2] }),
        signal,
      ),
    )
    expect(value(await store().entries(sessionRecord, { after: 1 }, signal))).toEqual([
      { seq: 2, body: 'shut' },
      { seq: 3, body: 'shut too', sealed: 'secret-3' },
      { seq: 4, body: 'after' },
    ])
  })

  it('may change the state without an entry', async () => {
    const { sessionRecord } = await claimed(store())
    written(
      await store().commit(commit(sessionRecord, [], { state: '{"v":1,"kind":"run"}' }), signal),
    )
    expect(await sessionRecordOf(store(), sessionRecord)).toMatchObject({
      head: 0,
      state: '{"v":1,"kind":"run"}',
    })
  })

  it('does not count a commit twice that writes no entry', async () => {
    const { sessionRecord } = await claimed(store())
    const once = commit(sessionRecord, [], { add: { messages: 1, input: 2, output: 3 } })
    for (let tries = 0; tries < 3; tries++) written(await store().commit(once, signal))
    expect(value(await store().row(sessionRecord, signal))).toMatchObject({
      messageCount: 1,
      inputTokens: 2,
      outputTokens: 3,
      head: 0,
    })
  })

  it('sums up what the commits say of the session', async () => {
    const { sessionRecord } = await claimed(store())
    written(
      await store().commit(
        commit(sessionRecord, ['a'], { add: { messages: 1, input: 10, output: 1 }, model: 'one' }),
        signal,
      ),
    )
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 1 }, ['b'], { add: { messages: 1, input: 5, output: 2 } }),
        signal,
      ),
    )
    expect(value(await store().row(sessionRecord, signal))).toMatchObject({
      messageCount: 2,
      inputTokens: 15,
      outputTokens: 3,
      model: 'one',
      title: 'Hello',
      principal: 'ann',
      meta: '{"app":"test"}',
      tags: [],
      parent: undefined,
      forkedAt: undefined,
    })
  })

  it('sums up what the commits cost, and says nothing where no price was known', async () => {
    const { sessionRecord } = await claimed(store())
    written(
      await store().commit(
        commit(sessionRecord, ['a'], { add: { messages: 1, input: 10, output: 1 } }),
        signal,
      ),
    )
    expect(value(await store().row(sessionRecord, signal))?.cost).toBeUndefined()
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 1 }, ['b'], {
          add: { messages: 1, input: 5, output: 2, cost: 1_500 },
        }),
        signal,
      ),
    )
    written(
      await store().commit(
        commit({ ...sessionRecord, head: 2 }, ['c'], { add: { messages: 1, input: 5, output: 2 } }),
        signal,
      ),
    )
    const last = commit({ ...sessionRecord, head: 3 }, ['d'], {
      add: { messages: 0, input: 0, output: 0, cost: 3_000_000_000 },
    })
    for (let tries = 0; tries < 2; tries++) written(await store().commit(last, signal))
    expect(value(await store().row(sessionRecord, signal))?.cost).toBe(3_000_001_500)
  })

  it('serves 64 sessions at once, each by its own verdict', async () => {
    const sessions = await Promise.all(Array.from({ length: 64 }, () => claimed(store())))
    const commits = sessions.map(({ sessionRecord, key }, at): Commit =>
      commit(
        at % 8 === 7 ? { ...sessionRecord, fencingToken: 9 } : sessionRecord,
        [`${at}a`, `${at}b`],
        {
          acknowledged: { messages: [key], controls: [] },
          end: 'end',
        },
      ),
    )
    const verdicts = await Promise.all(commits.map((one) => store().commit(one, signal)))
    expect(verdicts.map((result) => value(result).verdict)).toEqual(
      commits.map((_, at) => (at % 8 === 7 ? 'fenced' : 'ok')),
    )
    for (const [at, { sessionRecord }] of sessions.entries())
      expect(await bodiesOf(store(), sessionRecord)).toEqual(
        at % 8 === 7 ? [] : [`${at}a`, `${at}b`],
      )
  })

  it('fails only the commit whose data it cannot keep', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => claimed(store())))
    const verdicts = await Promise.all(
      sessions.map(({ sessionRecord }, at) =>
        store().commit(commit(sessionRecord, [at === 2 ? 'no\u0000text' : 'text']), signal),
      ),
    )
    for (const [at, result] of verdicts.entries()) {
      if (at !== 2) expect(value(result)).toMatchObject({ verdict: 'ok' })
      // Kept, or refused for good: a refusal that looked like a broken connection would be repeated
      // for ever.
      else if (!result.ok)
        expect(result.error).toMatchObject({
          code: 'STORE_FAILED',
          details: expect.not.objectContaining({ connection: true }) as unknown,
        })
    }
  })
}
