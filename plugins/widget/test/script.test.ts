import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explain, Kernel, unwrap, use } from '@amodal/sdk'
import { widgetScript } from '@amodal/widget/server'
import { expect, test } from 'vitest'
import { widget } from '../src/index.ts'

test('the script is sent compressed, to pages of every origin, and once as long as it is the same', async () => {
  const kernel = unwrap(await Kernel.create([use(http, { port: 0 }), use(widget)]), explain)
  try {
    const { fetch: request } = kernel.scope.get(HttpApp)
    const get = (headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Response> =>
      request(new Request('http://127.0.0.1/widget.js', { method, headers }))
    const plain = await get({})
    const bytes = await plain.arrayBuffer()
    expect(new Uint8Array(bytes)).toEqual(await widgetScript())
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(plain.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const packed = await get({ 'accept-encoding': 'deflate, gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    // what the documentation says of its size
    expect((await packed.arrayBuffer()).byteLength).toBeLessThanOrEqual(18 * 1_024)
    const etag = plain.headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    expect((await get({}, 'POST')).status).toBe(405)
  } finally {
    await kernel.close()
  }
})
