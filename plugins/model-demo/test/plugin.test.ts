import { explain, Kernel, Models, unwrap, use, type AgentBundle } from '@amodal/sdk'
import { observeReply, pluginContract } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { modelDemo } from '../src/index.ts'

pluginContract(modelDemo)

const bundle: AgentBundle = {
  hash: 'h',
  root: undefined,
  manifest: { name: 'a', version: '0.0.0', models: {}, limits: {}, raw: {} },
  instructions: undefined,
  skills: [],
  knowledge: [],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
}

test('is the last resort, and names what to set instead in each session and in its status', async () => {
  const kernel = unwrap(
    await Kernel.create([use(modelDemo, { variables: ['A_KEY', 'B_KEY'] })]),
    explain,
  )
  try {
    const demo =
      kernel.current().registry(Models).get('demo') ?? expect.fail('no provider is named demo')
    const found = demo.detect?.(bundle) ?? expect.fail('it does not offer itself')
    expect(found.rank).toBeGreaterThanOrEqual(1_000)
    expect(demo.status?.()).toMatchObject({
      provider: 'demo',
      notice: expect.stringMatching(/no intelligence.*A_KEY or B_KEY/),
    })

    const model = unwrap(demo.model(found.config), (error) => error.message)
    const seen = await observeReply(model, {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
    expect(seen.text).toMatch(/^\*Demo model.*A_KEY or B_KEY.*\*\n\n/)
  } finally {
    await kernel.close()
  }
})
