import { createAgent } from '@amodal/presets'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { PROVIDERS, wordsOf } from './support/provider-talk.ts'
import type { WireEvent } from '@amodal/sdk'

const DATA =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

test.each(PROVIDERS)('%s: a picture without a text is a message', async (provider) => {
  const model = await startModelServer({ script: reply.text('A dot.') })
  onTestFinished(() => model.close())
  const agent = await createAgent({
    provider,
    apiKey: 'sk-my-own-0123456789',
    env: {},
    providerConfig: { model: 'scripted', baseUrl: model.url },
  })
  onTestFinished(() => agent.shutdown())
  const session = await agent.createSession()
  const events: WireEvent[] = []
  const assets = [{ mediaType: 'image/png', data: DATA }]
  for (const text of ['', 'And now?'])
    for await (const event of session.stream(text, text === '' ? { assets } : {}))
      events.push(event)
  expect(wordsOf(events)).toBe('A dot.A dot.')
  const sent = JSON.stringify(model.requests.at(-1)?.sent)
  expect(sent).toContain(DATA)
  expect(sent).not.toContain('"text":""')
})
