/**
 * A reader that reconnects for as long as it is answered with a stream, as a browser's
 * `EventSource` does.
 */
import { EventParser, type ParsedEvent } from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { pay } from '../security/support/pay.ts'
import { use } from '@amodal/sdk'

async function open(): Promise<Door> {
  const paying = pay('confirm')
  const door = await openDoor({
    entries: [use(paying.plugin)],
    script: ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('pay')
        ? reply.toolCalls({ name: 'pay', arguments: { amount: 1 } })
        : reply.text('Hello.'),
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

interface Connected {
  readonly status: number
  readonly frames: readonly ParsedEvent[]
}

/** Reads a stream until it ends, or has told `until`. */
async function connect(url: string, last?: string, until?: string): Promise<Connected> {
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
  })
  const parser = new EventParser()
  const frames: ParsedEvent[] = []
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    frames.push(...parser.push(text))
    if (frames.some(({ event }) => event === until)) break
  }
  return { status: response.status, frames }
}

describe('whoever has seen all of a session', () => {
  test.each(['/chat/stream/:id', '/task/:id/stream', '/ai/stream?session_id=:id&message=hello'])(
    'is told by 204 that there is nothing to reconnect for: %s',
    async (path) => {
      const door = await open()
      const { frames } = await connect(`${door.url}/ai/stream?message=hello`)
      const last = frames.at(-1)?.id ?? expect.fail('it ended with an event')
      const { session_id: id } = JSON.parse(frames[0]?.data ?? '{}') as {
        readonly session_id: string
      } // of `init`
      const url = door.url + path.replace(':id', id)
      expect(await connect(url, last)).toEqual({ status: 204, frames: [] })
      expect((await connect(url, frames[1]?.id)).status).toBe(200) // there is more to see

      await door.say('hello again', { session_id: id })
      const more = await connect(url, last)
      expect([more.status, more.frames.at(-1)?.data]).toEqual([
        200,
        expect.stringContaining('"type":"done"'),
      ])
      expect((await connect(url, more.frames.at(-1)?.id)).status).toBe(204)
    },
  )

  test('is kept waiting where the session waits for a person, and hears what comes of it', async () => {
    const door = await open()
    const first = await connect(
      `${door.url}/ai/stream?message=pay`,
      undefined,
      'confirmation_required',
    )
    const { session_id: id } = JSON.parse(first.frames[0]?.data ?? '{}') as {
      readonly session_id: string
    } // of `init`
    const asked = first.frames.at(-1)
    const waiting = connect(`${door.url}/chat/stream/${id}`, asked?.id)
    // of `confirmation_required`
    const ask = JSON.parse(asked?.data ?? '{}') as { readonly id: string }
    expect((await door.answer({ session_id: id, id: ask.id, approved: true })).status).toBe(200)
    const { status, frames } = await waiting
    expect([status, frames.at(-1)?.event]).toEqual([200, 'done'])
    expect((await connect(`${door.url}/chat/stream/${id}`, frames.at(-1)?.id)).status).toBe(204)
  })
})
