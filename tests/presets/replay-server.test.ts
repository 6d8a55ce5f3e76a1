import { isList, isObject, type JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'

const PEOPLE = { anna: { tenant: 'acme' }, bert: { tenant: 'beta' } }
const anna = as('anna')

const SKILL = [
  '---',
  'name: Refunds',
  'description: How money is returned',
  '---',
  '',
  'Then refund the customer in full.',
  '',
].join('\n')

let prompts = 0
const script: Script = ({ messages }) => {
  prompts++
  const everything = JSON.stringify(messages)
  return reply.text(everything.includes('credit the customer') ? 'Credited.' : 'Refunded.')
}

async function opened(): Promise<{ door: Door; session: string }> {
  const door = await openDoor({
    script,
    env: keysOf(PEOPLE),
    files: {
      'skills/refunds/SKILL.md': SKILL,
      'knowledge/rules.md': '# Rules\n\nNo returns after a year.\n',
      'agents/main/AGENT.md': 'Be friendly.\n',
    },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const { body } = await door.post('/chat/sync', { message: 'I want my money' }, anna)
  return { door, session: textIn(body, 'session_id') }
}

const changed = { kind: 'skill', content: SKILL.replace('refund the', 'credit the') }

test('a session is replayed as it is, and nothing is asked', async () => {
  const { door, session } = await opened()
  const before = prompts
  const { body, status } = await door.post('/api/evals/replay', { session }, anna)
  expect({ body, status }).toMatchObject({ status: 200, body: { session, modelCalls: 0 } })
  expect(body).not.toHaveProperty('divergence')
  expect(body).not.toHaveProperty('drift')
  expect(prompts).toBe(before)
})

test('a document that is sent is compared, and the model goes on with it', async () => {
  const { door, session } = await opened()
  const before = prompts
  const { body } = await door.post('/api/evals/replay', { session, with: [changed] }, anna)
  expect(body).toMatchObject({
    divergence: {
      step: 1,
      part: 'prompt',
      what: 'section skills',
      plugin: 'skills',
      word: { before: 'refund', after: 'credit' },
      file: 'skills/refunds/SKILL.md',
      line: 6,
    },
    branches: [{ recorded: [{ text: 'Refunded.' }], replayed: [{ text: 'Credited.' }] }],
    modelCalls: 1,
  })
  expect(prompts - before).toBe(1)
  const others: readonly JsonObject[] = [
    { kind: 'knowledge', name: 'rules', content: '# Rules\n\nNo returns after a month.\n' },
    { kind: 'prompt', content: 'Be brief.\n' },
  ]
  for (const change of others) {
    const other = await door.post('/api/evals/replay', { session, with: [change] }, anna)
    expect(other.body).toMatchObject({ divergence: { part: 'prompt' }, modelCalls: 1 })
  }
  const model = { session, with: [{ kind: 'model', model: 'scripted-2' }] }
  expect((await door.post('/api/evals/replay', model, anna)).body).toMatchObject({
    divergence: { part: 'model' },
  })
  // The agent itself is as it was.
  const { body: next } = await door.post('/chat/sync', { message: 'And now?' }, anna)
  expect(JSON.stringify(next)).toContain('Refunded.')
})

test('tools that read files, and sub-agents, have the document that is sent', async () => {
  const door = await openDoor({
    script: ({ messages }) => {
      const everything = JSON.stringify(messages)
      const results = messages.filter(({ role }) => role === 'tool').length
      if (everything.includes('Delegate') && results === 0)
        return reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'Look it up.' } })
      if (everything.includes('Look it up.') && results === 0)
        return reply.toolCalls({ name: 'load_knowledge', arguments: { name: 'rules' } })
      return reply.text(everything.includes('a month') ? 'After a month.' : 'After a year.')
    },
    env: keysOf(PEOPLE),
    files: { 'knowledge/rules.md': '# Rules\n\nNo returns after a year.\n' },
    manifest: { plugins: [['knowledge', { eagerTokens: 0 }]] },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const content = '# Rules\n\nNo returns after a month.\n'
  for (const message of ['Look it up.', 'Delegate it.']) {
    const { body } = await door.post('/chat/sync', { message }, anna)
    const replayed = await door.post(
      '/api/evals/replay',
      {
        session: textIn(body, 'session_id'),
        with: [{ kind: 'knowledge', name: 'rules', content }],
      },
      anna,
    )
    expect(replayed.body).toMatchObject({
      divergence: {
        part: 'message',
        what: expect.stringContaining('result of load_knowledge'),
        plugin: 'knowledge',
        word: { before: 'year', after: 'month' },
        file: 'knowledge/rules.md',
        line: 3,
      },
      problems: [],
    })
    expect(JSON.stringify(replayed.body)).toContain('"replayed":[{"step":2,"text":"After a month."')
  }
})

test('a document that is sent stands before that of a variant of the session', async () => {
  const door = await openDoor({
    script: ({ messages }) => reply.text(/Be (\w+)/.exec(JSON.stringify(messages))?.[1] ?? 'none'),
    env: keysOf(PEOPLE),
    files: {
      'agents/main/AGENT.md': 'Be friendly.\n',
      'experiments/tone.json': {
        share: 1,
        weights: { base: 0.000001, brief: 1_000_000 },
        variants: { brief: { prompt: 'Be brief.\n' } },
      },
    },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const { body } = await door.post('/chat/sync', { message: 'Hello' }, anna)
  expect(body).toMatchObject({ response: 'brief' })
  const session = textIn(body, 'session_id')
  const same = await door.post('/api/evals/replay', { session }, anna)
  expect(same.body).not.toHaveProperty('drift')
  expect(same.body).not.toHaveProperty('divergence')
  const change = { kind: 'prompt', content: 'Be gruff.\n' }
  const replayed = await door.post('/api/evals/replay', { session, with: [change] }, anna)
  expect(replayed.body).toMatchObject({
    divergence: { part: 'prompt', word: { before: 'brief', after: 'gruff' } },
    branches: [{ recorded: [{ text: 'brief' }], replayed: [{ text: 'gruff' }] }],
  })
})

test('nobody replays what they may not see, and a change that does not fit is named', async () => {
  const { door, session } = await opened()
  expect(await door.post('/api/evals/replay', { session }, as('bert'))).toMatchObject({
    status: 404,
  })
  expect(await door.post('/api/evals/replay', { session: 7 }, anna)).toMatchObject({ status: 400 })
  const unknown = { ...changed, content: '---\nname: Returns\n---\nX\n' }
  const refused = await door.post('/api/evals/replay', { session, with: [unknown] }, anna)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('EVAL_CHANGE_INVALID')
  expect(refused.text).toContain('there are: Refunds')
})

test('the studio shows recorded and replayed side by side, to the tenant alone', async () => {
  const { door, session } = await opened()
  await door.post('/api/evals/replay', { session, with: [changed] }, anna)
  const view = await door.get('/api/studio/evals', anna)
  expect(view.text).toContain('skills/refunds/SKILL.md:6')
  expect(view.text).toContain('"label":"Replay"')
  const shown = await door.get('/api/studio/evals?replay=1', anna)
  const widgets = isObject(shown.body) && isList(shown.body['widgets']) ? shown.body['widgets'] : []
  expect(widgets.at(-1)).toMatchObject({
    data: {
      columns: ['Step', 'Recorded', 'Replayed'],
      records: [{ cells: ['1', 'Refunded.', { text: 'Credited.', tone: 'bad' }] }],
    },
  })
  expect(await door.get('/api/studio/evals?replay=1', as('bert'))).toMatchObject({ status: 404 })
  expect((await door.get('/api/studio/evals', as('bert'))).text).not.toContain(session)
})
