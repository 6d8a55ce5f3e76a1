import { describe, expect, it, vi } from 'vitest'
import { reply } from '../src/testing/model-server.ts'
import { ask, chunks, payloads, serve, textOf } from './model-client.ts'

describe('faults', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f']

  it('an HTTP error carries status, body and retry-after', async () => {
    const server = await serve(reply.httpError(429, { message: 'slow down', retryAfter: 2 }))
    const response = await ask(server)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await response.json()).toMatchObject({ error: { message: 'slow down' } })
  })

  it('an error inside the stream comes after the chunks before it', async () => {
    const server = await serve(
      reply.text(six, { ending: { kind: 'error', after: 2, error: { message: 'overloaded' } } }),
    )
    const list = await chunks(await ask(server))
    expect(textOf(list)).toBe('ab')
    expect(list.at(-1)?.error?.message).toBe('overloaded')
  })

  it('a cut socket breaks the body off after what was sent, and is not taken for a client that left', async () => {
    const server = await serve(reply.text(six, { ending: { kind: 'cut', after: 3 } }))
    const response = await ask(server)
    let seen = ''
    const reading = (async () => {
      for await (const part of response.body ?? []) seen += Buffer.from(part).toString()
    })()
    await expect(reading).rejects.toThrow()
    expect(seen).toContain('"content":"c"')
    expect(seen).not.toContain('"content":"d"')
    expect(server.requests[0]).toMatchObject({ aborted: false, closed: true })
  })

  it('a truncated stream ends in good order without a finish reason', async () => {
    const server = await serve(reply.text(six, { ending: { kind: 'truncated', after: 1 } }))
    const response = await ask(server)
    const text = await response.text()
    expect(text).toContain('"content":"a"')
    expect(text).not.toContain('[DONE]')
    expect(text).not.toContain('"finish_reason":"stop"')
  })

  it('a broken chunk stands between good ones', async () => {
    const server = await serve(reply.text(six, { ending: { kind: 'broken-json', after: 3 } }))
    const list = await payloads(await ask(server))
    const broken = list.filter((payload) => {
      try {
        JSON.parse(payload)
        return false
      } catch {
        return true
      }
    })
    expect(broken).toHaveLength(1)
    expect(list.length).toBe(1 + six.length + 1 + 1)
  })

  it('an empty stream is a 200 without one event', async () => {
    const server = await serve(reply.emptyStream())
    const response = await ask(server)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })

  it('silence never answers, and the client that gives up is noticed', async () => {
    const server = await serve(reply.silence())
    await expect(ask(server, {}, AbortSignal.timeout(60))).rejects.toThrow(/timeout/i)
    await vi.waitFor(() =>
      expect(server.requests[0]).toMatchObject({ aborted: true, closed: true }),
    )
  })

  it('a stall keeps the connection open after its last chunk', async () => {
    const server = await serve(reply.text(six, { ending: { kind: 'stall', after: 2 } }))
    const leave = new AbortController()
    const response = await ask(server, {}, leave.signal)
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes('"b"')) text += new TextDecoder().decode((await reader?.read())?.value)
    const next = reader?.read()
    leave.abort(new Error('the client left'))
    await expect(next).rejects.toThrow('the client left')
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true))
  })

  it('endless text goes on until the client leaves', async () => {
    const server = await serve(reply.text('again and ', { ending: { kind: 'endless' } }))
    const leave = new AbortController()
    const response = await ask(server, {}, leave.signal)
    let bytes = 0
    for await (const part of response.body ?? []) {
      bytes += part.length
      if (bytes > 300_000) break
    }
    leave.abort()
    expect(bytes).toBeGreaterThan(300_000)
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true))
  })
})
