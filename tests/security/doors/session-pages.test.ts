import type { JsonObject } from '@amodal/sdk'
import { contentText, endsWithToolResult, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../support/door.ts'

test('a page of sessions is full, however many sub-agents have worked in between', async () => {
  await using door = await openDoor({
    script: (request) => {
      if (contentText(request.messages[0]).includes('You work on one task for another agent'))
        return reply.text('Looked into it.')
      return endsWithToolResult(request)
        ? reply.text('Done.')
        : reply.toolCalls(
            [1, 2, 3].map((n) => ({
              name: 'dispatch_task',
              arguments: { prompt: `Look into part ${n}.` },
            })),
          )
    },
  })
  for (let n = 0; n < 6; n++) expect((await door.say(`go ${n}`)).status).toBe(200)
  expect(
    door.model.requests.filter(({ body }) =>
      contentText(body.messages[0]).includes('You work on one task'),
    ),
  ).toHaveLength(18)
  const titles = async (query: string) =>
    ((await door.get(`/sessions?${query}`)).body['sessions'] as readonly JsonObject[]).map(
      ({ title }) => title,
    )
  expect(await titles('limit=6')).toEqual([5, 4, 3, 2, 1, 0].map((n) => `go ${n}`))
  expect(await titles('limit=4')).toEqual([5, 4, 3, 2].map((n) => `go ${n}`))
})
