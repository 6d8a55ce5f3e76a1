import openapiTS, { astToString } from 'openapi-typescript'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { Workbench } from '../docs/workbench.ts'
import { openDoor } from '../security/support/door.ts'

const USES = `
import type { components, paths } from './api.ts'

type Body<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : never
export const message: Body<'/chat/sync', 'post'> = { message: 'hello' }
// @ts-expect-error a message is a text
export const number: Body<'/chat/sync', 'post'> = { message: 7 }

type Sessions = paths['/sessions']['get']['responses'][200]['content']['application/json']
export const titles = ({ sessions }: Sessions): readonly string[] => sessions.map(({ title }) => title)
// @ts-expect-error a session has no such field
export const names = ({ sessions }: Sessions) => sessions.map(({ nickname }) => nickname)

export function textOf(event: components['schemas']['AgentEvent']): string {
  return event.type === 'text_delta' ? event.content : ''
}
`

test('openapi-typescript generates types of requests, responses and events', async () => {
  await using door = await openDoor({ script: reply.text('done') })
  const { body: document } = await door.get('/openapi.json')
  const bench = new Workbench()
  try {
    bench.write('api.ts', astToString(await openapiTS(JSON.stringify(document))))
    bench.write('uses.ts', USES)
    expect(await bench.typeCheck()).toEqual([])
  } finally {
    bench.remove()
  }
})
