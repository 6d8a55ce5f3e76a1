import { execFile } from 'node:child_process'
import { writeFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type ClientEvent } from '@amodal/sdk/client'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { isWhole } from '../support/random.ts'
import { Amodal, opsAgent, root, serve, type Server } from './server.ts'

const prepare = join(root, 'cli/scripts/prepare.ts')
const clientOf = ({ url, credential }: Server) => createClient({ url, credential, tries: 2 })
const textOf = (events: readonly ClientEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
async function collect(events: AsyncIterable<ClientEvent>): Promise<readonly ClientEvent[]> {
  const seen: ClientEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

/** The example agent before a model of ours. */
async function scripted(script: Script) {
  const [model, agent] = await Promise.all([startModelServer({ script }), opsAgent()])
  const file = join(agent.dir, 'amodal.json')
  await writeFile(
    file,
    JSON.stringify({
      ...(JSON.parse(await readFile(file, 'utf8')) as object),
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    }),
  )
  return {
    model,
    dir: agent.dir,
    async [Symbol.asyncDispose]() {
      await Promise.all([model.close(), agent[Symbol.asyncDispose]()])
    },
  }
}

describe('a first start without any key', () => {
  test('answers /health, and a message with a tool call that reads the store', async () => {
    await using agent = await opsAgent()
    await using server = await serve(agent.dir)
    expect(server.process.out).toContain(
      `Studio   → ${server.url}/#token=${server.credential}  (in a browser)`,
    )
    expect(server.process.out).toContain(
      '✓ ops-agent 1.0.0: 2 skills, 3 knowledge documents, 2 stores',
    )
    const health = await (await fetch(`${server.url}/health`)).json()
    expect(health).toMatchObject({
      name: 'ops-agent',
      mode: 'repo',
      model_notice: expect.stringContaining('OPENAI_API_KEY'),
    })
    expect(health).toMatchObject({ status: expect.stringMatching(/^ok$|^starting$/) })

    const turn = await clientOf(server).ask({ text: 'What is in the store? List it.' })
    expect(turn.text).toContain('Demo model')
    const results = turn.events.filter((event) => event.type === 'tool_call_result')
    expect(results.length).toBeGreaterThan(0)
    expect(results.every(({ status }) => status === 'success')).toBe(true)
    expect(turn.text).toMatch(/INC-20\d\d/)
    expect(turn).toMatchObject({ reason: 'model_stop', pending: [] })

    await using real = await scripted(() => reply.text('Hello.'))
    await using other = await serve(real.dir)
    // a model is configured: the one that stands in is not in use
    expect(await (await fetch(`${other.url}/health`)).json()).not.toHaveProperty('model_notice')

    const ended = await server.process.kill('SIGTERM')
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(ended.out).toContain('Stopping')
  })
})

test('what the install prepares spares a first start its migrations', async (context) => {
  if (!isWhole()) return context.skip('it prepares for ten seconds: --all')
  await promisify(execFile)(process.execPath, [prepare, join(root, 'examples/ops-agent')])
  await using agent = await opsAgent()
  await using server = await serve(agent.dir)
  await clientOf(server).ask({ text: 'What is in the store? List it.' })
  expect(server.process.err + server.process.out).toMatch(/database\.opened .*from=image/)
  expect(server.process.err + server.process.out).not.toContain('database.migrated')
})

describe('with a baseUrl on loopback', () => {
  test('the same goes through that server; sessions and documents are there after a restart', async () => {
    await using place = await scripted(
      reply.toolsThenText(
        [
          { name: 'query_store', arguments: { store: 'services', filter: { tier: 'critical' } } },
          {
            name: 'store_incidents',
            arguments: {
              id: 'INC-9001',
              title: 'Coffee is out',
              severity: 'P4',
              status: 'open',
              service: 'web-gateway',
              opened_at: '2026-11-21T08:00:00Z',
              customers_affected: false,
            },
          },
        ],
        'Noted.',
      ),
    )
    let session = ''
    {
      await using server = await serve(place.dir)
      const turn = await clientOf(server).ask({ text: 'What is critical?' })
      session = turn.session
      expect(turn.text).toBe('Noted.')
      expect(
        turn.events
          .filter((event) => event.type === 'tool_call_result')
          .map(({ status }) => status),
      ).toEqual(['success', 'success'])
      expect(place.model.requests[0]?.body.messages[0]).toMatchObject({
        role: 'system',
        content: expect.stringContaining('Northwind'),
      })
      expect((await server.process.kill('SIGINT')).code).toBe(0)
    }
    await using server = await serve(place.dir)
    const client = clientOf(server)
    expect(await client.session(session)).toMatchObject({
      title: 'What is critical?',
      state: 'idle',
    })
    expect(await (await fetch(`${server.url}/api/stores/incidents/INC-9001`)).json()).toMatchObject(
      { document: { version: 1, payload: { title: 'Coffee is out' } } },
    )
    place.model.play(({ messages }) =>
      reply.text(`I have read ${messages.filter(({ role }) => role === 'user').length} messages.`),
    )
    expect((await client.ask({ text: 'And now?', session })).text).toBe('I have read 2 messages.')
  })

  test('a server that is killed while it waits for a person waits on after its restart', async () => {
    await using place = await scripted(
      reply.toolsThenText(
        { name: 'ask_user', arguments: { question: 'Which service?' } },
        'Restarted it.',
      ),
    )
    let asked
    {
      await using server = await serve(place.dir)
      asked = await clientOf(server).ask({ text: 'Restart it' })
      expect(asked.pending).toMatchObject([
        { pending_input_type: 'question', pending_input_context: { question: 'Which service?' } },
      ])
      expect(await server.process.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    }
    await using server = await serve(place.dir)
    const client = clientOf(server)
    const [ask] = (await client.session(asked.session)).pending_input
    expect(ask?.id).toBe(asked.pending[0]?.id)
    const rest = collect(client.follow(asked.session))
    await client.answer(asked.session, { id: ask?.id ?? '', response: 'checkout' })
    const events = await rest
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(textOf(events)).toBe('Restarted it.')
    expect(place.model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'checkout',
    })
  })

  test('a second server on the folder is refused at once, and told who has it', async () => {
    await using place = await scripted(reply.text('Hello.'))
    await using server = await serve(place.dir)
    const begun = performance.now()
    const second = await new Amodal(['dev', '--dir', place.dir, '--port', '0']).ended
    expect(performance.now() - begun).toBeLessThan(30_000) // the start of a process included
    expect(second).toMatchObject({ code: 1, out: '' })
    expect(second.err).toMatch(
      new RegExp(
        `DATABASE_LOCKED: the database folder .* is in use by the server with process id ${server.process.child.pid} on `,
      ),
    )
    expect((await clientOf(server).ask({ text: 'Still there?' })).text).toBe('Hello.')
  })
})

describe('SIGTERM', () => {
  test('brings what has begun to its end, and takes nothing new', async () => {
    await using place = await scripted(
      reply.text(['one ', 'two ', 'three ', 'four'], { pace: 200 }),
    )
    await using server = await serve(place.dir)
    const events: ClientEvent[] = []
    let ended: ReturnType<Amodal['kill']> | undefined
    for await (const event of clientOf(server).send({ text: 'Count' })) {
      events.push(event)
      if (event.type !== 'text_delta' || ended) continue
      ended = server.process.kill('SIGTERM')
      await server.process.says(/Stopping/)
      expect(
        await fetch(`${server.url}/health`).then(
          ({ status }) => status,
          () => 'refused',
        ),
      ).not.toBe(200)
    }
    expect(textOf(events)).toBe('one two three four')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(await ended).toMatchObject({ code: 0 })
  })
})

describe('Ctrl-C', () => {
  test('once waits for the drain, again does not', async () => {
    await using place = await scripted(reply.silence())
    await using server = await serve(place.dir)
    const turn = clientOf(server)
      .ask({ text: 'Anybody?' })
      .catch(() => undefined)
    await expect.poll(() => place.model.count).toBe(1)
    server.process.child.kill('SIGINT')
    server.process.child.kill('SIGINT') // npm and the terminal's group pass one on twice
    await server.process.says(/Stopping/)
    await new Promise((resolve) => {
      setTimeout(resolve, 1_300)
    })
    expect(server.process.child.exitCode).toBeNull()
    const begun = performance.now()
    expect(await server.process.kill('SIGINT')).toMatchObject({ code: 130 })
    expect(performance.now() - begun).toBeLessThan(10_000)
    await turn
    // What was accepted is not lost: the next start goes on with it.
    place.model.play(reply.text('Here.'))
    await using again = await serve(place.dir)
    const client = clientOf(again)
    const [session] = (await client.sessions()).sessions
    await expect
      .poll(async () => (await client.session(session?.id ?? '')).messages.at(-1)?.text)
      .toBe('Here.')
  })
})
