import type { JsonObject } from '@amodal/sdk'
import { endsWithToolResult, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn } from '../security/support/door.ts'
import { root } from './server.ts'

test('an answer that does not fit the form of its question is refused with the path of what does not', async () => {
  await using door = await openDoor({
    script: (request) =>
      endsWithToolResult(request)
        ? reply.text('Done.')
        : reply.toolCalls({ name: 'odd__form', arguments: {} }),
    files: {
      'connections/odd/spec.json': {
        protocol: 'mcp',
        command: process.execPath,
        args: [`${root}/plugins/connect-mcp/test/servers/odd.ts`],
      },
      'connections/odd/access.json': {
        endpoints: { 'CALL form': { confirm: false, taint: 'ignore' } },
      },
    },
  })
  const asked = await door.say('Fill it in.')
  const [ask] = asked.body['pending_input'] as readonly JsonObject[] // a list of questions
  const session = textIn(asked.body, 'session_id')
  const whole = {
    email: 'ada@example.org',
    code: 'AB-12',
    count: 2,
    day: '2026-07-28',
    sure: true,
    tags: ['a'],
  }
  const answer = (answers: JsonObject) =>
    door.answer({ session_id: session, id: textIn(ask, 'id'), answers: { ...whole, ...answers } })
  const wrong: readonly (readonly [string, JsonObject])[] = [
    ['answer.answers.email', { email: 'nobody' }],
    ['answer.answers.code', { code: 'x-1' }],
    ['answer.answers.code', { code: 'AB-' }],
    ['answer.answers.code', { code: 'AB-1234567' }],
    ['answer.answers.count', { count: 9 }],
    ['answer.answers.day', { day: 'tomorrow' }],
    ['answer.answers.tags', { tags: [] }],
    ['answer.answers.tags', { tags: ['a', 'b', 'c'] }],
  ]
  for (const [path, answers] of wrong) {
    const refused = await answer(answers)
    expect(refused, JSON.stringify(answers)).toMatchObject({
      status: 400,
      body: {
        error: { code: 'ANSWER_INVALID', message: expect.stringContaining(`${path}: `) as string },
      },
    })
  }
  expect(await answer({})).toMatchObject({ status: 200 })
})
