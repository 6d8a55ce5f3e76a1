import { reply, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../support/door.ts'
import { startApi } from '../support/api-server.ts'

test.each(['PATCH /deals/7', 'POST /deals/7/close', 'POST /deals/7'])(
  "another's row is not changed by %s",
  async (line) => {
    const [method = '', endpoint = ''] = line.split(' ')
    await using api = await startApi(() => ({
      body: { id: 7, owner_id: 'somebody-else', stage: 'open' },
    }))
    const script: Script = (request) =>
      request.messages.at(-1)?.role === 'tool'
        ? reply.text('done')
        : reply.toolCalls({
            name: 'request',
            arguments: { connection: 'crm', method, endpoint, data: { stage: 'closed' } },
          })
    await using door = await openDoor({
      script,
      files: {
        'connections/crm/spec.json': { baseUrl: api.url },
        'connections/crm/access.json': {
          endpoints: {
            'PATCH /deals/{id}': { returns: ['deal'], confirm: false },
            'POST /deals/{id}': { returns: ['deal'], confirm: false },
            'POST /deals/{id}/close': { returns: ['deal'], confirm: false },
            'GET /deals/{id}': { returns: ['deal'] },
          },
          rowScoping: {
            deal: {
              owner_id: {
                type: 'field_match',
                userContextField: 'userId',
                label: 'your own deals',
              },
            },
          },
        },
      },
    })
    await door.say('close it')
    expect(api.came.map((one) => one.method)).not.toContain(method)
  },
)
