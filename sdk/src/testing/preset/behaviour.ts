import type { AgentEvent } from '../../agent-event.ts'
import { describe, expect, test } from 'vitest'
import type { ChatCompletionRequest } from '../model-protocol.ts'
import { reply } from '../model-reply.ts'
import type { ModelServer } from '../model-server.ts'
import type { EntryPoint } from './entry-point.ts'

const typesOf = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type)
const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
const messagesOf = (request: ChatCompletionRequest | undefined): readonly unknown[] =>
  request?.messages.filter(({ role }) => role !== 'system').map(({ content }) => content) ?? []
const usersSeen = ({ messages }: ChatCompletionRequest): number =>
  messages.filter(({ role }) => role === 'user').length

async function collect(
  events: AsyncIterable<AgentEvent>,
  until: (event: AgentEvent) => boolean = () => false,
): Promise<readonly AgentEvent[]> {
  const seen: AgentEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (until(event)) break
  }
  return seen
}

/** What every preset's agent does, whichever door one comes through. */
export function behaviour(
  through: string,
  stage: () => { readonly entryPoint: EntryPoint; readonly model: ModelServer },
): void {
  describe(through, () => {
    const last = (): ChatCompletionRequest | undefined => stage().model.requests.at(-1)?.body

    test('answers with text, from `init` to exactly one `done`', async () => {
      const { entryPoint, model } = stage()
      model.play(reply.text(['Hel', 'lo.']))
      const { events, text, reason, session } = await entryPoint.ask('Hi')
      expect(text).toBe('Hello.')
      expect(reason).toBe('model_stop')
      expect(events[0]).toMatchObject({ type: 'init', session_id: session })
      expect(events.at(-1)).toMatchObject({
        type: 'done',
        usage: { input_tokens: expect.any(Number) as number },
      })
      expect(typesOf(events).filter((type) => type === 'done')).toHaveLength(1)
      expect(JSON.stringify(last()?.messages[0])).toMatch(
        /You keep a list of tasks\.[^]*open from nine to five/,
      )
    })

    test('reads its store, and writes to it', async () => {
      const { entryPoint, model } = stage()
      model.play(
        reply.toolsThenText(
          {
            name: 'query_store',
            arguments: { store: 'tasks', filter: { done: false }, sort: 'id' },
          },
          'The plants.',
        ),
      )
      const read = await entryPoint.ask('What is left to do?')
      expect(read.text).toBe('The plants.')
      expect(read.events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
        status: 'success',
        result: expect.stringContaining('Water the plants') as string,
      })
      model.play(
        reply.toolsThenText(
          {
            name: 'store_tasks',
            arguments: { id: 't3', title: `Post the letter ${through}`, done: false },
          },
          'Kept.',
        ),
      )
      expect((await entryPoint.ask('Remember the letter', read.session)).text).toBe('Kept.')
      model.play(
        reply.toolsThenText(
          { name: 'query_store', arguments: { store: 'tasks', key: 't3' } },
          'There.',
        ),
      )
      expect(
        (await entryPoint.ask('Is it there?', read.session)).events.find(
          ({ type }) => type === 'tool_call_result',
        ),
      ).toMatchObject({ result: expect.stringContaining(`Post the letter ${through}`) as string })
    })

    test('waits for an answer, and goes on with it', async () => {
      const { entryPoint, model } = stage()
      model.play(
        reply.toolsThenText({ name: 'ask_user', arguments: { question: 'Which cat?' } }, 'Fed.'),
      )
      const turn = await entryPoint.ask('Feed the cat')
      expect(turn.reason).toBeUndefined()
      const [ask] = turn.pending
      expect(await entryPoint.open(turn.session)).toMatchObject({ pending: 1 })
      // Listening before it is answered: a run that has ended meanwhile has nothing to follow.
      const events = entryPoint.follow(turn.session)[Symbol.asyncIterator]()
      expect((await events.next()).done).toBe(false)
      await entryPoint.answer(turn.session, ask?.id ?? '', 'The grey one')
      expect((await collect({ [Symbol.asyncIterator]: () => events })).at(-1)).toMatchObject({
        type: 'done',
        reason: 'model_stop',
      })
      expect(messagesOf(last()).at(-1)).toBe('The grey one')
      await expect(entryPoint.answer(turn.session, ask?.id ?? '', 'Again')).rejects.toMatchObject({
        code: 'ASK_NOT_FOUND',
      })
    })

    test('answers a message that comes right behind an answer', async () => {
      const { entryPoint, model } = stage()
      model.play((request) =>
        JSON.stringify(request.messages.at(-1)).includes('Feed')
          ? reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which cat?' } })
          : reply.text(`answer ${usersSeen(request)}`),
      )
      const turn = await entryPoint.ask('Feed the cat')
      await entryPoint.answer(turn.session, turn.pending[0]?.id ?? '', 'The grey one')
      expect(await entryPoint.ask('Thanks', turn.session)).toMatchObject({
        text: 'answer 2',
        reason: 'model_stop',
      })
    })

    test('keeps a message behind an open question until that is settled', async () => {
      const { entryPoint, model } = stage()
      model.play((request) =>
        JSON.stringify(request.messages.at(-1)).includes('Feed')
          ? reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which cat?' } })
          : reply.text(`answer ${usersSeen(request)}`),
      )
      const turn = await entryPoint.ask('Feed the cat')
      const waiting = collect(entryPoint.stream('And the dog', turn.session))
      await expect.poll(() => entryPoint.open(turn.session)).toMatchObject({ pending: 1 })
      await entryPoint.answer(turn.session, turn.pending[0]?.id ?? '', 'The grey one')
      const events = await waiting
      expect(textOf(events)).toBe('answer 2')
      expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    })

    test('answers two messages at once, one after the other', async () => {
      const { entryPoint, model } = stage()
      model.play((request) => reply.text(`answer ${usersSeen(request)}`, { delay: 30 }))
      const { session } = await entryPoint.ask('first')
      const turns = await Promise.all([
        entryPoint.ask('second', session),
        entryPoint.ask('third', session),
      ])
      expect(turns.map(({ text }) => text).sort()).toEqual(['answer 2', 'answer 3'])
      expect(turns.every(({ reason }) => reason === 'model_stop')).toBe(true)
    })

    test('takes a message with the same key once', async () => {
      const { entryPoint, model } = stage()
      model.play(reply.text('Once.'))
      const { session } = await entryPoint.ask('Hi')
      const before = model.count
      const turns = await Promise.all([
        entryPoint.ask('Do it', session, `key ${through}`.replaceAll(/\W/g, '-')),
        entryPoint.ask('Do it', session, `key ${through}`.replaceAll(/\W/g, '-')),
      ])
      expect(turns.map(({ text }) => text)).toEqual(['Once.', 'Once.'])
      expect(model.count).toBe(before + 1)
    })

    test('goes on where nobody listens; a reader that comes back gets all of it', async () => {
      const { entryPoint, model } = stage()
      const words = ['one ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven ', 'eight']
      model.play(reply.text(words, { pace: 25 }))
      const seen = await collect(entryPoint.stream('Count'), ({ type }) => type === 'text_delta')
      const [init] = seen
      const session = init?.type === 'init' ? init.session_id : expect.fail('`init` comes first')
      const rest = await collect(entryPoint.follow(session))
      expect(textOf(rest)).toBe(words.join(''))
      expect(rest.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
      expect(await collect(entryPoint.follow(session))).toEqual([]) // nothing runs any more
    })

    test('can be cancelled, and answers the next message', async () => {
      const { entryPoint, model } = stage()
      model.play(reply.text(['Well', '…'], { ending: { kind: 'stall', after: 1 } }))
      const events: AgentEvent[] = []
      let session = ''
      for await (const event of entryPoint.stream('Think')) {
        events.push(event)
        if (event.type === 'init') session = event.session_id
        if (event.type === 'text_delta') expect(await entryPoint.cancel(session)).toBe(true)
      }
      expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
      expect(await entryPoint.cancel(session)).toBe(false)
      model.play(reply.text('Here.'))
      expect((await entryPoint.ask('Still there?', session)).text).toBe('Here.')
    })

    test('forgets what was said when it is told to', async () => {
      const { entryPoint, model } = stage()
      model.play((request) => reply.text(String(usersSeen(request))))
      const { session } = await entryPoint.ask('one')
      expect((await entryPoint.ask('two', session)).text).toBe('2')
      await entryPoint.clear(session)
      expect((await entryPoint.ask('three', session)).text).toBe('1')
    })

    test('goes two ways from one place', async () => {
      const { entryPoint, model } = stage()
      model.play((request) => reply.text(String(usersSeen(request))))
      const { session } = await entryPoint.ask('one')
      const child = await entryPoint.fork(session)
      expect(child).not.toBe(session)
      expect((await entryPoint.ask('two', child)).text).toBe('2')
      expect((await entryPoint.ask('other', session)).text).toBe('2')
      expect(messagesOf(last())).toEqual(['one', '1', 'other'])
      expect((await entryPoint.ask('three', child)).text).toBe('3')
    })

    test('lists its sessions, names them, and removes them', async () => {
      const { entryPoint, model } = stage()
      model.play(reply.text('Hello.'))
      const { session } = await entryPoint.ask('The first message is the title')
      expect(await entryPoint.open(session)).toEqual({
        title: 'The first message is the title',
        pending: 0,
      })
      expect(await entryPoint.list()).toContain(session)
      await entryPoint.remove(session)
      expect(await entryPoint.list()).not.toContain(session)
      await expect(entryPoint.open(session)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    })

    test.each(['sess_unknown', 'no id'])('knows no session "%s"', async (session) => {
      const { entryPoint } = stage()
      const refused = { code: 'SESSION_NOT_FOUND' }
      await expect(entryPoint.ask('Hi', session)).rejects.toMatchObject({
        code:
          session === 'no id'
            ? (expect.stringMatching(/^SESSION_NOT_FOUND$|^VALIDATION_ERROR$/) as string)
            : 'SESSION_NOT_FOUND',
      })
      await expect(entryPoint.open(session)).rejects.toMatchObject(refused)
      await expect(entryPoint.cancel(session)).rejects.toMatchObject(refused)
      await expect(entryPoint.clear(session)).rejects.toMatchObject(refused)
      await expect(entryPoint.fork(session)).rejects.toMatchObject(refused)
      await expect(entryPoint.remove(session)).rejects.toMatchObject(refused)
    })

    test.each(['', '   \n'])('refuses the message %j', async (text) => {
      const before = await stage().entryPoint.list()
      await expect(stage().entryPoint.ask(text)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      expect(await stage().entryPoint.list()).toEqual(before)
    })

    test.each([
      ['fails', reply.httpError(400, { message: 'no such model' })],
      ['breaks off', reply.text(['Hal', 'f'], { ending: { kind: 'cut', after: 1 } })],
      ['says nothing', reply.emptyStream()],
      ['sends broken JSON', reply.raw(['{"nope'])],
    ])(
      'ends its turn with an error where the model %s, and answers the next message',
      async (_what, response) => {
        const { entryPoint, model } = stage()
        model.play(response)
        const { events, session } = await collected(entryPoint, 'Hi')
        expect(typesOf(events).filter((type) => type === 'done')).toHaveLength(1)
        expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'error' })
        expect(events.find(({ type }) => type === 'error')).toMatchObject({
          code: expect.stringMatching(/^MODEL_/) as string,
        })
        model.play(reply.text('Here.'))
        expect((await entryPoint.ask('Still there?', session)).text).toBe('Here.')
      },
    )
  })
}

async function collected(
  entryPoint: EntryPoint,
  text: string,
): Promise<{ readonly events: readonly AgentEvent[]; readonly session: string }> {
  const events = await collect(entryPoint.stream(text))
  const [init] = events
  return { events, session: init?.type === 'init' ? init.session_id : '' }
}
