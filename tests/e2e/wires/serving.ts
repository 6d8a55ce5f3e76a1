import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import {
  definePlugin,
  defineTool,
  LocalToken,
  Tools,
  use,
  type Entry,
  type JsonObject,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { z } from 'zod'

export interface Serving {
  close(): Promise<void>
  readonly url: string
  readonly model: ModelServer
  /** Amounts that were paid. */
  readonly paid: number[]
  readonly headers: Readonly<Record<string, string>>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  post(
    path: string,
    body: JsonObject,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
}

/** The server of the preset `dev`, with a tool that asks before it pays. */
export async function serving(script: Script, entries: readonly Entry[] = []): Promise<Serving> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-wire-'))
  const model = await startModelServer({ script, keep: 100 })
  await writeFile(
    join(dir, 'amodal.json'),
    JSON.stringify({
      name: 'wired',
      version: '1.0.0',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    }),
  )
  const paid: number[] = []
  const started = await startFolder({
    dir,
    preset: 'dev',
    env: {},
    port: 0,
    logLevel: 'none',
    entries: [use(paying(paid)), ...entries],
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel } = started.value
  const address = kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  const token = kernel.scope.find(LocalToken)?.text() ?? ''
  const own = { authorization: `Bearer ${token}` }
  return {
    close: async () => {
      await started.value.close('test')
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
    url,
    model,
    paid,
    headers: own,
    get: (path, headers = own) => fetch(url + path, { headers }),
    post: (path, body, headers = own) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}

const paying = (paid: number[]) =>
  definePlugin({
    name: 'paying',
    version: '1.0.0',
    setup({ add }) {
      const tool = (name: 'pay' | 'price', tier: 'confirm' | 'allow') =>
        defineTool({
          name,
          description: 'Pays an amount, or says what it would be.',
          readOnly: name === 'price',
          tier,
          input: z.object({ amount: z.number(), api_key: z.string().optional() }),
          execute: async ({ amount }) => {
            if (name === 'pay') paid.push(amount)
            return { status: 'success', output: { amount, currency: 'EUR' } }
          },
        })
      add(Tools, 'paying', { tools: () => [tool('pay', 'confirm'), tool('price', 'allow')] })
    },
  })

/** Does what the message says. */
export const script: Script = (request) => {
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  const isDone = request.messages.at(-1)?.role === 'tool'
  if (said.includes('forever'))
    return reply.text(['Well, ', 'then '], { ending: { kind: 'stall', after: 2 } })
  if (said.includes('slowly')) return reply.text(['One ', 'two ', 'three'], { pace: 300 })
  if (said.includes('break')) return reply.httpError(400, { message: 'the model takes no such' })
  if (isDone) return reply.text('All done.')
  if (said.includes('pay twice'))
    return reply.toolCalls([
      { name: 'pay', arguments: { amount: 1 } },
      { name: 'pay', arguments: { amount: 2 } },
    ])
  if (said.includes('pay')) return reply.toolCalls({ name: 'pay', arguments: { amount: 48 } })
  if (said.includes('price'))
    return reply.toolCalls({ name: 'price', arguments: { amount: 7, api_key: 'sk-secret' } })
  if (said.includes('show'))
    return reply.toolCalls({
      name: 'present',
      arguments: { widget_type: 'data-table', data: { columns: ['a'], rows: [['1']] } },
    })
  if (said.includes('ask'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: { question: 'Which region?', options: ['Europe', 'Asia'] },
    })
  return reply.text(['Hel', 'lo.'])
}
