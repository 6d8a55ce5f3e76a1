import { explain, Kernel, Outbound, unwrap, use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { outbound } from '../src/index.ts'
import { startTarget } from './support.ts'

pluginContract(outbound)

test.each([
  ['TOO_LARGE', { maxBytes: 9 }, '/'],
  ['TIMEOUT', { timeoutMs: 40 }, '/silent'],
])('takes its limits from its config: %s', async (code, config, path) => {
  const target = await startTarget((request, response) => {
    if (request.url !== '/silent') response.end('0123456789')
  })
  const kernel = unwrap(
    await Kernel.create([use(outbound, { ...config, privateOrigins: [`${target.url}/`] })]),
    explain,
  )
  try {
    const request = { lease: undefined, url: `${target.url}${path}`, method: 'GET' } as const
    expect(await kernel.scope.get(Outbound).request(request)).toMatchObject({
      ok: false,
      error: { code },
    })
  } finally {
    await kernel.close()
    await target.close()
  }
})
