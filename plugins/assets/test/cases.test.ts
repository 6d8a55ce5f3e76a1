/** Each kind of file, in each of the ways in which a file cannot be used. */

import { beforeAll, describe, expect, test } from 'vitest'
import * as samples from './support/samples.ts'
import { idIn, serving, textIn, type Heard, type Serving } from './support/serving.ts'

const MAX_FILE_BYTES = 4_000
const MAX_IMAGE_BYTES = 2_000

/** Fifteen kinds: a name, the bytes, their type, and a type that they are not. */
const KINDS: readonly (readonly [string, Buffer, string, string])[] = [
  ['PNG', samples.PNG, 'image/png', 'image/jpeg'],
  ['JPEG', samples.JPEG, 'image/jpeg', 'image/png'],
  ['GIF', samples.GIF, 'image/gif', 'image/png'],
  ['WebP', samples.WEBP, 'image/webp', 'image/png'],
  ['PDF', samples.PDF, 'application/pdf', 'image/png'],
  ['WAV', samples.WAV, 'audio/wav', 'audio/mpeg'],
  ['MP3', samples.MP3, 'audio/mpeg', 'audio/wav'],
  ['M4A', samples.M4A, 'audio/mp4', 'video/mp4'],
  ['AAC', samples.AAC, 'audio/aac', 'audio/mpeg'],
  ['Opus', samples.OPUS, 'audio/ogg', 'audio/webm'],
  ['WebM', samples.WEBM_AUDIO, 'audio/webm', 'video/webm'],
  ['FLAC', samples.FLAC, 'audio/flac', 'audio/wav'],
  ['text', Buffer.from('Only words.\n'), 'text/plain', 'image/png'],
  ['CSV', Buffer.from('name,amount\nAnn,5\n'), 'text/csv', 'application/pdf'],
  ['JSON', Buffer.from('{"a":[1,2,3]}'), 'application/json', 'audio/wav'],
]

const errorOf = ({ status, body }: Heard): readonly [number, unknown] => [
  status,
  (body['error'] as { readonly code?: unknown } | undefined)?.code, // of an answer
]

let server: Serving
beforeAll(async () => {
  server = await serving({
    lasting: true,
    model: { provider: 'google' },
    config: { maxFileBytes: MAX_FILE_BYTES, maxImageBytes: MAX_IMAGE_BYTES },
  })
  return () => server.close()
})

describe.each(KINDS)('%s', (kind, bytes, type, otherType) => {
  test('too large', async () => {
    const limit = type.startsWith('image/') ? MAX_IMAGE_BYTES : MAX_FILE_BYTES
    const padding = Buffer.alloc(limit + 1 - bytes.byteLength, ' ')
    const upload = await server.upload(Buffer.concat([bytes, padding]), type)
    expect(errorOf(upload)).toEqual([413, 'ASSET_TOO_LARGE'])
    expect(upload.bytes.toString()).toContain(String(limit))
  })

  test('of the wrong type', async () => {
    const upload = await server.upload(bytes, otherType)
    expect(errorOf(upload)).toEqual([415, 'ASSET_TYPE_REFUSED'])
    expect(upload.bytes.toString()).toContain(otherType)
  })

  test('of another tenant', async () => {
    const own = Buffer.concat([bytes, Buffer.from(' ')])
    const id = await server.kept(own, type, `${kind} of eve`, 'eve')
    const calls = server.model.count
    for (const init of [{}, { method: 'HEAD' }, { method: 'DELETE' }])
      expect((await server.call(`/assets/${id}`, init)).status).toBe(404)
    const sent = await server.say('look', { assets: [id] })
    expect(errorOf(sent)).toEqual([404, 'ASSET_NOT_FOUND'])
    expect(server.model.count).toBe(calls)
    expect((await server.call(`/assets/${id}`, {}, 'eve')).status).toBe(200)
  })

  test('deleted while it is used', async () => {
    const name = `${kind}.deleted`
    const own = Buffer.concat([bytes, Buffer.from('  ')])
    const id = idIn((await server.upload(own, type, `?name=${name}`)).body)
    const { body, status } = await server.say('look', { assets: [id] })
    expect(status).toBe(200)
    expect((await server.call(`/assets/${id}`, { method: 'DELETE' })).status).toBe(204)
    const next = await server.say('and now?', { session_id: textIn(body, 'session_id') })
    expect(next.status).toBe(200)
    const sent = JSON.stringify(server.model.requests.at(-1)?.sent)
    expect(sent).toContain(
      `${name}\\" (${type}, ${own.byteLength} bytes) is not here: it was deleted`,
    )
    expect(sent).not.toContain(own.toString('base64'))
  })
})

test('these are sixty cases', () => expect(KINDS.length * 4).toBe(60))
