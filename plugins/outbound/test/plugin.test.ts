import { explain, Kernel, Outbound, unwrap, use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { outbound } from '../src/index.ts'
import { startTarget } from './support.ts'

pluginContract(outbound)

test('takes its limits from its config', async () => {
  const target = await startTarget((request, response) => {
    if (request.url !== '/silent') response.end('0123456789')
  })
  const kernel = unwrap(
    await Kernel.create([
      use(outbound, { timeoutMs: 40, maxBytes: 9, privateOrigins: [`${target.url}/`] }),
    ]),
    explain,
  )
  try {
    const out = kernel.scope.get(Outbound)
    expect(await out.request({ lease: undefined, url: target.url, method: 'GET' })).toMatchObject({
      ok: false,
      error: { code: 'TOO_LARGE' },
    })
    expect(
      await out.request({ lease: undefined, url: `${target.url}/silent`, method: 'GET' }),
    ).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT' },
    })
  } finally {
    await kernel.close()
    await target.close()
  }
})
