import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { History, project } from '@amodal/plugin-loop'
import {
  LOCAL_TENANT,
  instanceId,
  readEntries,
  sessionId,
  type EntryKind,
  type StoredState,
  type SequencedEntry,
  type SessionId,
} from '@amodal/sdk'
import { ENTRY_VERSION, readEntry } from '@amodal/sdk/loop'
import { describe, expect, test } from 'vitest'
import { given, startTestAgent, type TestAgent } from './support/agent.ts'
import { only, outcomes } from './support/entries.ts'
import { framesOf } from './support/frames.ts'
import { historyProblem } from './support/strict-history.ts'
import { sharedStore } from './support/store.ts'
import { reads, success, writes } from './support/tools.ts'

// What a release wrote stays here for good: every later one has to read it, go on with it and show
// it.

const folder = join(import.meta.dirname, '../fixtures/journal')
const versions = readdirSync(folder)
const parse = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'))

describe.each(versions)('entries of version %s', (version) => {
  const files = readdirSync(join(folder, version)).filter((file) => !file.startsWith('session-'))
  const entries = (file: string): readonly SequencedEntry[] =>
    given(
      readEntries(
        (parse(`${version}/${file}`) as readonly object[]).map((body, index) => ({
          seq: index + 1,
          body: JSON.stringify(body),
        })),
      ),
    )

  test('are here for every kind there was', () => {
    const kinds = (Object.keys(ENTRY_VERSION) as EntryKind[]).filter(
      (kind) => ENTRY_VERSION[kind] >= Number(version.slice(1)),
    )
    expect(files.map((file) => file.replace('.json', ''))).toEqual(expect.arrayContaining(kinds))
  })

  test.each(files)('%s: read, folded and shown', (file) => {
    const history = new History()
    for (const entry of entries(file)) {
      expect(entry.v).toBe(ENTRY_VERSION[entry.kind])
      history.apply(entry, entry.seq)
      for (const told of [true, false])
        for (const event of project(entry, told))
          expect(event.type, entry.kind).toMatch(/^[a-z_]+$/)
    }
    history.close()
    expect(historyProblem(history.messages)).toBeUndefined()
  })
})

test('an entry of a release to come is refused in every kind', () => {
  for (const kind of Object.keys(ENTRY_VERSION)) {
    expect(readEntry({ seq: 1, body: JSON.stringify({ v: 99, kind }) })).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_ENTRY_VERSION' },
    })
  }
})

interface Left {
  readonly state: StoredState
  readonly entries: readonly object[]
}

/**
 * A session as that release left it, with a process that is gone as its owner, and a server that
 * finds it.
 */
async function found(file: string): Promise<{
  readonly agent: TestAgent
  readonly session: SessionId
  readonly ran: readonly string[]
}> {
  const { state, entries } = parse(file) as Left
  const store = await sharedStore()
  const session = sessionId('sess_1f0c')
  const ref = { tenant: LOCAL_TENANT, session }
  const signal = new AbortController().signal
  const { sessionRecord } = given(
    await store.accept(
      {
        ...ref,
        key: 'k1',
        body: '{}',
        control: false,
        owner: instanceId('gone'),
        leaseMs: 1,
        create: { principal: 'me', title: 'Left', meta: '{}' },
      },
      signal,
    ),
  )
  const end = state.kind === 'idle' ? 'end' : state.state.kind === 'confirming' ? 'park' : 'hold'
  given(
    await store.commit(
      {
        ...ref,
        fencingToken: sessionRecord?.fencingToken ?? 0,
        base: 0,
        key: 'c1',
        state: JSON.stringify(state),
        entries: entries.map((body) => ({ body: JSON.stringify(body) })),
        acknowledged: { messages: ['k1'], controls: [] },
        erase: [],
        end,
        leaseMs: 1,
        progress: true,
        add: { messages: 0, input: 0, output: 0 },
      },
      signal,
    ),
  )
  const ran: string[] = []
  const agent = await startTestAgent({
    store,
    script: [{ text: 'and so on' }],
    tools: [
      reads('look', () => {
        ran.push('look')
        return success(1)
      }),
      writes('pay', () => {
        ran.push('pay')
        return success(1)
      }),
      reads('dispatch_task', undefined, { dispatches: true }),
    ],
    taps: ({ tool }) =>
      tool.guard.tap((verdict, call) =>
        call.tool.name === 'pay' ? verdict.raise('confirm', 'pays money') : undefined,
      ),
  })
  return { agent, session, ran }
}

describe.each(versions)('a session that version %s left', (version) => {
  test('idle goes on', async () => {
    const { agent, session } = await found(`${version}/session-idle.json`)
    expect((await agent.say('next', session)).text).toBe('and so on')
    expect(agent.model.asked[0]?.prompt).toHaveLength(3)
  })

  test('waiting for an approval is answered, and what was approved runs', async () => {
    const { agent, session, ran } = await found(`${version}/session-confirming.json`)
    expect(
      (
        await framesOf(
          given(await agent.face.follow(session, { seq: 3, fencingToken: 1, attempt: 0, n: 0 })),
        )
      ).at(-1)?.event,
    ).toMatchObject({ type: 'confirmation_required', id: 'ask_1f0c' })
    given(await agent.answer(session, ['ask_1f0c', { approved: true }]))
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(ran).toEqual(['pay'])
    expect(outcomes(await agent.journal(session))).toEqual({
      call_look: 'success',
      call_pay: 'success',
    })
  })

  test('with an effect in flight is not repeated, and said to be unknown', async () => {
    const { agent, session, ran } = await found(`${version}/session-executing.json`)
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(ran).toEqual([])
    expect(outcomes(await agent.journal(session))).toEqual({
      call_look: 'success',
      call_pay: 'unknown',
    })
  })

  test('about to ask the model asks it', async () => {
    const { agent, session } = await found(`${version}/session-thinking.json`)
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(only(await agent.journal(session), 'model_reply').at(-1)).toMatchObject({
      step: 2,
      text: 'and so on',
    })
  })

  test('with sub-agents at work settles them', async () => {
    const { agent, session } = await found(`${version}/session-dispatching.json`)
    await expect.poll(() => agent.kinds(session)).toContain('run_ended')
    expect(Object.keys(outcomes(await agent.journal(session))).sort()).toEqual([
      'call_child',
      'call_look',
    ])
  })
})
