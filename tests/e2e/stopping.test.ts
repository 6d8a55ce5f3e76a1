import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, type ClientEvent } from '@amodal/sdk/client'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { opsAgent, serve, type Server } from './server.ts'

const clientOf = ({ url }: Server) => createClient({ url, tries: 2 })

/** The example agent before a model of ours, with settings of the loop. */
async function scripted(script: Script, runtime: Readonly<Record<string, number>>) {
  const [model, agent] = await Promise.all([startModelServer({ script }), opsAgent()])
  const file = join(agent.dir, 'amodal.json')
  await writeFile(
    file,
    JSON.stringify({
      ...(JSON.parse(await readFile(file, 'utf8')) as object),
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
      runtime,
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

test('a drain of more than ten seconds is waited for, the stream of its run included, and is no failure', async () => {
  const words = Array.from({ length: 13 }, (_, n) => `${n} `)
  await using place = await scripted(reply.text(words, { pace: 1_000 }), { drainMs: 60_000 })
  await using server = await serve(place.dir)
  const events: ClientEvent[] = []
  let ended: ReturnType<typeof server.process.kill> | undefined
  for await (const event of clientOf(server).send({ text: 'Count' })) {
    events.push(event)
    ended ??= server.process.kill('SIGTERM') // with the first event: the message is acknowledged
  }
  expect(events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')).toBe(
    words.join(''),
  )
  expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  const { code, out, err } = (await ended) ?? { code: 'no run', out: '', err: '' }
  expect(code).toBe(0)
  expect(out + err).not.toMatch(/plugin\.failed|timed out/)
}, 180_000)

test('what is not done when the drain is over is left to the next start, and the process ends', async () => {
  await using place = await scripted(reply.silence(), { drainMs: 500 })
  await using server = await serve(place.dir)
  const turn = clientOf(server)
    .ask({ text: 'Anybody?' })
    .catch(() => undefined)
  await expect.poll(() => place.model.count).toBe(1)
  // the model never answers, so that the process ends because the drain is over
  const { code, out, err } = await server.process.kill('SIGTERM')
  expect(code).toBe(0)
  expect(out + err).not.toMatch(/plugin\.failed|left_running/)
  await turn
  place.model.play(reply.text('Here.'))
  await using again = await serve(place.dir)
  const client = clientOf(again)
  const [session] = (await client.sessions()).sessions
  await expect
    .poll(async () => (await client.session(session?.id ?? '')).messages.at(-1)?.text)
    .toBe('Here.')
}, 180_000)

describe.skipIf(process.platform === 'win32')('a terminal that is closed', () => {
  test('stops the server in good order, as SIGTERM does; a second signal ends it at once', async () => {
    await using place = await scripted(reply.silence(), { drainMs: 60_000 })
    {
      await using server = await serve(place.dir)
      expect(await server.process.kill('SIGHUP')).toMatchObject({
        code: 0,
        signal: null,
        out: expect.stringContaining('Stopping') as string,
      })
    }
    await using server = await serve(place.dir)
    const turn = clientOf(server)
      .ask({ text: 'Anybody?' })
      .catch(() => undefined)
    await expect.poll(() => place.model.count).toBe(1)
    server.process.child.kill('SIGHUP')
    await server.process.says(/Stopping/)
    await new Promise((resolve) => {
      setTimeout(resolve, 500)
    })
    expect(server.process.child.exitCode).toBeNull()
    const begun = performance.now()
    expect(await server.process.kill('SIGTERM')).toMatchObject({ code: 143 })
    expect(performance.now() - begun).toBeLessThan(30_000) // it would drain for 60 s
    await turn
  }, 60_000)
})
