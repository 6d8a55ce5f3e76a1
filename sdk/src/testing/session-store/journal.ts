import type { Commit, SessionStore } from '@amodal/kernel'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  claimed,
  commit,
  finished,
  laneOf,
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
    const { lane, key } = await claimed(store())
    expect(lane).toMatchObject({
      head: 0,
      fence: 1,
      messages: 1,
      controls: 0,
      parked: false,
      status: 'active',
    })
    expect(
      written(
        await store().commit(
          commit(lane, ['1', '2'], {
            took: { messages: [key], controls: [] },
            state: '{"v":1,"step":1}',
          }),
          signal,
        ),
      ),
    ).toEqual({ verdict: 'ok', mine: true, released: false, messages: 0, controls: 0 })
    written(await store().commit(commit({ ...lane, head: 2 }, ['3'], { end: 'end' }), signal))
    expect(value(await store().entries(lane, { after: 0 }, signal))).toEqual([
      { seq: 1, body: '1' },
      { seq: 2, body: '2' },
      { seq: 3, body: '3' },
    ])
    expect(await bodiesOf(store(), lane, 2)).toEqual(['3'])
    expect(
      value(await store().entries(lane, { after: 0, upto: 2 }, signal)).map(({ seq }) => seq),
    ).toEqual([1, 2])
    expect(
      value(await store().entries(lane, { after: 0, limit: 1 }, signal)).map(({ seq }) => seq),
    ).toEqual([1])
    expect(await laneOf(store(), lane)).toMatchObject({
      head: 3,
      fence: 1,
      owner: undefined,
      messages: 0,
      state: '{"v":1,"kind":"idle"}',
    })
  })

  it('gives back every text as it was', async () => {
    const lane = await finished(store(), TEXTS)
    expect(await bodiesOf(store(), lane)).toEqual(TEXTS)
  })

  it('has no entries of a session that nobody knows', async () => {
    expect(await bodiesOf(store(), newSession())).toEqual([])
    expect(value(await store().lane(newSession(), signal))).toBeUndefined()
  })

  it('writes a commit once, however often it is repeated', async () => {
    const { lane, key } = await claimed(store())
    const once = commit(lane, ['a', 'b'], {
      took: { messages: [key], controls: [] },
      end: 'end',
      add: { messages: 2, input: 7, output: 9 },
    })
    const first = written(await store().commit(once, signal))
    expect(first).toEqual({ verdict: 'ok', mine: true, released: true, messages: 0, controls: 0 })
    expect(written(await store().commit(once, signal))).toEqual(first)
    expect(await bodiesOf(store(), lane)).toEqual(['a', 'b'])
    expect(value(await store().row(lane, signal))).toMatchObject({
      messageCount: 2,
      inputTokens: 7,
      outputTokens: 9,
      head: 2,
    })
  })

  it('refuses a commit that builds on another head', async () => {
    const { lane } = await claimed(store())
    written(await store().commit(commit(lane, ['a']), signal))
    expect(value(await store().commit(commit(lane, ['b']), signal))).toEqual({ verdict: 'gap' })
    expect(value(await store().commit(commit({ ...lane, head: 5 }, ['c']), signal))).toEqual({
      verdict: 'gap',
    })
    expect(await bodiesOf(store(), lane)).toEqual(['a'])
  })

  it('counts what is taken once, and only what was there', async () => {
    const { lane, key } = await claimed(store())
    const second = message(lane)
    value(await store().accept(second, signal))
    const taken = { messages: [key, key, 'nobody-knows-it'], controls: [] }
    expect(
      written(await store().commit(commit(lane, ['a'], { took: taken }), signal)),
    ).toMatchObject({ messages: 1, controls: 0 })
    expect(
      written(
        await store().commit(
          commit({ ...lane, head: 1 }, ['b'], { took: taken, end: 'end' }),
          signal,
        ),
      ),
    ).toMatchObject({ messages: 1, released: false })
    expect(value(await store().inbox(lane, signal))).toMatchObject([
      { key: second.key, body: second.body, control: false },
    ])
  })

  it('keeps a sealed part until it is erased', async () => {
    const { lane } = await claimed(store())
    written(
      await store().commit(
        commit(lane, [], {
          entries: [
            { body: 'open' },
            { body: 'shut', sealed: 'secret-2' },
            { body: 'shut too', sealed: 'secret-3' },
          ],
        }),
        signal,
      ),
    )
    expect(value(await store().entries(lane, { after: 0 }, signal))).toEqual([
      { seq: 1, body: 'open' },
      { seq: 2, body: 'shut', sealed: 'secret-2' },
      { seq: 3, body: 'shut too', sealed: 'secret-3' },
    ])
    written(await store().commit(commit({ ...lane, head: 3 }, ['after'], { erase: [2] }), signal))
    expect(value(await store().entries(lane, { after: 1 }, signal))).toEqual([
      { seq: 2, body: 'shut' },
      { seq: 3, body: 'shut too', sealed: 'secret-3' },
      { seq: 4, body: 'after' },
    ])
  })

  it('may change the state without an entry', async () => {
    const { lane } = await claimed(store())
    written(await store().commit(commit(lane, [], { state: '{"v":1,"kind":"run"}' }), signal))
    expect(await laneOf(store(), lane)).toMatchObject({ head: 0, state: '{"v":1,"kind":"run"}' })
  })

  it('does not count a commit twice that writes no entry', async () => {
    const { lane } = await claimed(store())
    const once = commit(lane, [], { add: { messages: 1, input: 2, output: 3 } })
    for (let tries = 0; tries < 3; tries++) written(await store().commit(once, signal))
    expect(value(await store().row(lane, signal))).toMatchObject({
      messageCount: 1,
      inputTokens: 2,
      outputTokens: 3,
      head: 0,
    })
  })

  it('sums up what the commits say of the session', async () => {
    const { lane } = await claimed(store())
    written(
      await store().commit(
        commit(lane, ['a'], { add: { messages: 1, input: 10, output: 1 }, model: 'one' }),
        signal,
      ),
    )
    written(
      await store().commit(
        commit({ ...lane, head: 1 }, ['b'], { add: { messages: 1, input: 5, output: 2 } }),
        signal,
      ),
    )
    expect(value(await store().row(lane, signal))).toMatchObject({
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
    const { lane } = await claimed(store())
    written(
      await store().commit(
        commit(lane, ['a'], { add: { messages: 1, input: 10, output: 1 } }),
        signal,
      ),
    )
    expect(value(await store().row(lane, signal))?.cost).toBeUndefined()
    written(
      await store().commit(
        commit({ ...lane, head: 1 }, ['b'], {
          add: { messages: 1, input: 5, output: 2, cost: 1_500 },
        }),
        signal,
      ),
    )
    written(
      await store().commit(
        commit({ ...lane, head: 2 }, ['c'], { add: { messages: 1, input: 5, output: 2 } }),
        signal,
      ),
    )
    const last = commit({ ...lane, head: 3 }, ['d'], {
      add: { messages: 0, input: 0, output: 0, cost: 3_000_000_000 },
    })
    for (let tries = 0; tries < 2; tries++) written(await store().commit(last, signal))
    expect(value(await store().row(lane, signal))?.cost).toBe(3_000_001_500)
  })

  it('serves 64 sessions at once, each by its own verdict', async () => {
    const sessions = await Promise.all(Array.from({ length: 64 }, () => claimed(store())))
    const commits = sessions.map(({ lane, key }, at): Commit =>
      commit(at % 8 === 7 ? { ...lane, fence: 9 } : lane, [`${at}a`, `${at}b`], {
        took: { messages: [key], controls: [] },
        end: 'end',
      }),
    )
    const verdicts = await Promise.all(commits.map((one) => store().commit(one, signal)))
    expect(verdicts.map((said) => value(said).verdict)).toEqual(
      commits.map((_, at) => (at % 8 === 7 ? 'fenced' : 'ok')),
    )
    for (const [at, { lane }] of sessions.entries())
      expect(await bodiesOf(store(), lane)).toEqual(at % 8 === 7 ? [] : [`${at}a`, `${at}b`])
  })

  it('fails only the commit whose data it cannot keep', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => claimed(store())))
    const verdicts = await Promise.all(
      sessions.map(({ lane }, at) =>
        store().commit(commit(lane, [at === 2 ? 'no\u0000text' : 'text']), signal),
      ),
    )
    for (const [at, said] of verdicts.entries()) {
      if (at !== 2) expect(value(said)).toMatchObject({ verdict: 'ok' })
      // Kept, or refused for good: a refusal that looked like a broken connection would be repeated
      // for ever.
      else if (!said.ok)
        expect(said.error).toMatchObject({
          code: 'STORE_FAILED',
          details: expect.not.objectContaining({ connection: true }) as unknown,
        })
    }
  })
}
