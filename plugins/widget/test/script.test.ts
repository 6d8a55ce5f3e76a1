import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('the page to try it on is that of the folder, as it is now, and only where it is switched on', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-widget-page-'))
  const responses = async (config: object): Promise<readonly (readonly [number, string])[]> => {
    const entries = [use(http, { port: 0 }), use(widget, { dir, ...config })]
    const kernel = unwrap(await Kernel.create(entries), explain)
    const get = async (): Promise<readonly [number, string]> => {
      const request = new Request('http://127.0.0.1/widget.html')
      const response = await kernel.scope.get(HttpApp).fetch(request)
      return [response.status, response.ok ? await response.text() : '']
    }
    const all = [await get()]
    for (const text of ['one', 'two']) {
      await writeFile(join(dir, 'widget.html'), text)
      all.push(await get())
    }
    await kernel.close()
    await rm(join(dir, 'widget.html'))
    return all
  }
  try {
    expect(await responses({ page: true })).toEqual([
      [404, ''],
      [200, 'one'],
      [200, 'two'],
    ])
    expect(await responses({})).toEqual([
      [404, ''],
      [404, ''],
      [404, ''],
    ])
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
