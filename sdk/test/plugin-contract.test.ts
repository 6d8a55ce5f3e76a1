import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, registry, slot, use } from '../src/index.ts'
import { leavesNothing, pluginContract } from '../src/testing/index.ts'

interface Named {
  readonly name: string
}
const Store = slot.kernel<Named>('store')
const Words = registry<string>('words')

const store = definePlugin({
  name: 'store',
  version: '1.0.0',
  provides: [Store],
  setup: ({ provide }) => provide(Store, () => ({ name: 'store' })),
})

/** Does about everything that a plugin can do. */
const thorough = definePlugin({
  name: 'thorough',
  version: '1.0.0',
  requires: { store: Store },
  provides: [slot.kernel<Named>('greeting')],
  config: z.object({ word: z.string(), loud: z.boolean().default(false) }),
  setup(k) {
    k.provide(slot.kernel<Named>('greeting'), () => ({
      name: `${k.config.word} ${k.deps.store.name}`,
    }))
    k.add(Words, 'word', k.config.word)
    k.hooks.tool.guard.tap(
      (verdict, call) => (call.tool.readOnly ? undefined : verdict.raise('confirm', 'writes')),
      { stage: 'seal' },
    )
    k.hooks.event.emit.tap((event) =>
      event.type === 'text_delta' ? { ...event, content: event.content.trim() } : undefined,
    )
    k.hooks.http.routes.tap((routes) => routes.mount('/greet', { fetch: () => new Response('hi') }))
    k.onBoot(async () => {
      const server = createServer()
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
      return () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
        })
    })
  },
})

pluginContract(store)
pluginContract(thorough, { config: { word: 'hello' }, with: [use(store)], use: { trusted: true } })
pluginContract(
  definePlugin({ name: 'fixed', version: '1.0.0', reload: 'restart', setup: () => undefined }),
)
pluginContract(
  definePlugin({ name: 'port', version: '1.0.0', reload: 'exclusive', setup: () => undefined }),
  { use: { as: 'port-eu' } },
)

test('what is left open is named', async () => {
  const server = createServer()
  const leakCheck = leavesNothing(
    () =>
      new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      }),
    { settleMs: 50 },
  )
  await expect(leakCheck).rejects.toThrow('left open: 1 × TCPServerWrap')
  await new Promise((resolve) => {
    server.close(resolve)
  })
})

test('what closes by itself is waited for', async () => {
  await leavesNothing(async () => {
    setTimeout(() => undefined, 60)
  })
})
