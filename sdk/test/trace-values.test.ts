import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineHook, definePlugin, explain, Kernel, use, waterfall } from '../src/index.ts'
import { inspectionOf, traceValues } from '../src/inspection/index.ts'

test('tracing values shows which tap changed what', async () => {
  const Tools = defineHook(
    'test.tools',
    waterfall<
      [list: { readonly tools: readonly { readonly name: string; readonly note?: string }[] }]
    >({ onError: 'fail' }),
  )
  const created = await Kernel.create(
    [
      use(
        definePlugin({
          name: 'hider',
          version: '1.0.0',
          config: z.object({ hide: z.string() }),
          setup: ({ config, tap }) =>
            tap(Tools, (list) => ({
              tools: list.tools.filter(({ name }) => name !== config.hide),
            })),
        }),
        { hide: 'send_mail' },
      ),
      use(
        definePlugin({
          name: 'noter',
          version: '1.0.0',
          setup: ({ tap }) =>
            tap(Tools, (list) => ({ tools: list.tools.map((tool) => ({ ...tool, note: 'n' })) })),
        }),
      ),
      use(
        definePlugin({
          name: 'reader',
          version: '1.0.0',
          setup: ({ tap }) => tap(Tools, () => undefined),
        }),
      ),
    ],
    { trace: traceValues() },
  )
  if (!created.ok) throw new Error(explain(created.error))
  const kernel = created.value
  await kernel
    .current()
    .hook(Tools)
    .call({ tools: [{ name: 'query' }, { name: 'send_mail' }] })
  expect(inspectionOf(kernel).changes).toEqual([
    { hook: 'test.tools', plugin: 'hider', changed: ['tools[send_mail] -'] },
    { hook: 'test.tools', plugin: 'noter', changed: ['tools[query].note +'] },
  ])
})
