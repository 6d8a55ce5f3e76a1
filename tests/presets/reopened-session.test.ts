import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openDoor, textIn } from '../security/support/door.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const drawing = definePlugin({
  name: 'drawing',
  version: '1.0.0',
  setup({ add }) {
    const draw = defineTool({
      name: 'draw',
      description: 'Draws.',
      readOnly: true,
      completedLabel: 'Drew a picture',
      input: z.object({}),
      execute: async () => ({
        status: 'success',
        output: 'drawn',
        content: [
          { type: 'image', mimeType: 'image/png', data: PNG },
          { type: 'text', text: 'for the model', audience: 'model' },
        ],
      }),
    })
    add(Tools, 'drawing', { tools: () => [draw] })
  },
})

test('a session that is opened later has the labels and images that its reader saw live', async () => {
  const door = await openDoor({
    entries: [use(drawing)],
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? reply.text('Here.')
        : reply.toolCalls({ name: 'draw', arguments: {} }),
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const { body: turn } = await door.say('Draw')
  const { body } = await door.get(`/sessions/${textIn(turn, 'session_id')}`)
  expect(body).toMatchObject({
    messages: [
      { role: 'user' },
      {
        toolCalls: [
          {
            toolName: 'draw',
            label: 'Drew a picture',
            content: [{ type: 'image', mimeType: 'image/png', data: PNG }],
          },
        ],
      },
      { text: 'Here.' },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('for the model')
})
