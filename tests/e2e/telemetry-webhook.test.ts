/** A trace that begins at the sender of a webhook. */
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'

test('goes on in the run of the automation', async () => {
  await using receiver = await startOtlpReceiver()
  await using door = await openDoor({
    script: reply.text('Seen.'),
    files: { 'automations/push.json': { prompt: 'Look: {{event}}', trigger: 'webhook' } },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  })
  const push = async (traceparent: string): Promise<void> => {
    const response = await door.post(
      '/webhooks/push?wait=1',
      { pushed: traceparent },
      { authorization: `Bearer ${door.token}`, traceparent },
    )
    expect(response.status, response.text).toBe(200)
  }
  const messages = (): readonly ReceivedSpan[] => receiver.named('amodal.message')
  await push(`00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`)
  await expect.poll(() => messages().length, { timeout: 20_000 }).toBe(1)
  expect(messages()[0]).toMatchObject({
    traceId: 'c'.repeat(32),
    parentSpanId: 'd'.repeat(16),
  })
  await expect.poll(() => receiver.named('invoke_agent door').length, { timeout: 20_000 }).toBe(1)
  expect(receiver.named('invoke_agent door')[0]).toMatchObject({ traceId: 'c'.repeat(32) })

  await push('nonsense')
  await expect.poll(() => messages().length, { timeout: 20_000 }).toBe(2)
  expect(messages()[1]?.parentSpanId).toBeUndefined()
})
