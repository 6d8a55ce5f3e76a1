import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  explain,
  Kernel,
  registry,
  slot,
  unwrap,
  use,
  type Inspection,
  type Plugin,
} from '../src/index.ts'
import { inspectionOf, toMermaid, toText } from '../src/inspection/index.ts'

interface Named {
  readonly name: string
}
const Store = slot.kernel<Named>('store')
const Cart = slot.session<Named>('cart')
const Words = registry<string>('words')

const store = definePlugin({
  name: 'store',
  version: '1.0.0',
  provides: [Store],
  config: z.looseObject({}),
  setup: ({ provide }) => provide(Store, () => ({ name: 'store' })),
})
const cache = definePlugin({
  name: 'cache',
  version: '1.1.0',
  decorates: [Store],
  setup: ({ decorate }) => decorate(Store, (inner) => inner),
})
const reader = definePlugin({
  name: 'reader',
  version: '2.0.0',
  requires: { store: Store },
  provides: [Cart],
  after: ['cache'],
  setup({ provide, add, hooks }) {
    provide(Cart, () => ({ name: 'cart' }))
    add(Words, 'hello', 'hi')
    hooks.kernel.drain.tap(
      () => {
        throw new Error('busy')
      },
      { stage: 'late' },
    )
    hooks.tool.guard.tap(() => undefined, { stage: 'seal' })
  },
})

async function inspected(
  config: unknown = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Inspection> {
  const kernel = unwrap(
    await Kernel.create(
      [
        use(reader, {}, { trusted: true, source: 'preset dev', as: 'reader-eu' }),
        use<Plugin>(store, config),
        use(cache),
      ],
      { env, clock: { now: () => 0, monotonic: () => 0 } },
    ),
    explain,
  )
  await kernel.drain('test')
  return inspectionOf(kernel)
}

test('inspect is plain JSON and says who, why, where and how often', async () => {
  const inspection = await inspected()
  expect(
    inspection.hooks.map(({ name }) => name),
    'tapped or not',
  ).toEqual(expect.arrayContaining(['bundle.load', 'state.enter.thinking', 'event.sent']))
  expect(JSON.parse(JSON.stringify(inspection))).toEqual(inspection)
  expect(
    inspection.plugins.map(({ name, plugin, order, why, state, source }) => ({
      name,
      plugin,
      order,
      why,
      state,
      source,
    })),
  ).toEqual([
    { name: 'store', order: 0, why: 'in list order', state: 'running' },
    { name: 'cache', order: 1, why: 'after store (wraps store)', state: 'running' },
    {
      name: 'reader-eu',
      plugin: 'reader',
      order: 2,
      why: 'after store (needs store), cache (needs store, which it wraps), cache (by `after`)',
      state: 'running',
      source: 'preset dev',
    },
  ])
  expect(inspection.slots).toEqual([
    { id: 'clock', scope: 'kernel', provider: 'kernel', decorators: [], isCreated: true },
    { id: 'inspector', scope: 'kernel', provider: 'kernel', decorators: [], isCreated: true },
    { id: 'store', scope: 'kernel', provider: 'store', decorators: ['cache'], isCreated: true },
    { id: 'cart', scope: 'session', provider: 'reader-eu', decorators: [] },
  ])
  expect(inspection.registries).toEqual([
    { id: 'words', entries: [{ key: 'hello', plugin: 'reader-eu' }] },
  ])
  expect(inspection.hooks.find(({ name }) => name === 'kernel.drain')).toMatchObject({
    kind: 'parallel',
    onError: 'skip',
    timeoutMs: 10_000,
    taps: [{ plugin: 'reader-eu', stage: 'late', calls: 1, errors: 1, pending: 0 }],
  })
  expect(inspection.errors).toEqual([
    {
      at: 0,
      plugin: 'reader-eu',
      phase: 'hook',
      where: 'kernel.drain',
      code: 'PLUGIN_FAILED',
      message: '[reader-eu] failed in hook kernel.drain: busy',
    },
  ])
})

describe('config is shown without secrets', () => {
  test.each([
    [
      'by its key',
      { apiKey: 'sk-123', 'x-auth': 1, nested: { password: 'p', list: [{ token: 't' }] } },
      {
        apiKey: '[redacted]',
        'x-auth': 1,
        nested: { password: '[redacted]', list: [{ token: '[redacted]' }] },
      },
    ],
    [
      'below its key',
      { credentials: { user: 'u', parts: ['a'] } },
      { credentials: { user: '[redacted]', parts: ['[redacted]'] } },
    ],
    [
      'by the variable it came from',
      { where: 'sk-live-987654', header: 'Bearer sk-live-987654', mode: 'production' },
      { where: 'env:VENDOR_KEY', header: 'env:VENDOR_KEY', mode: 'env:NODE_ENV' },
    ],
    ['as a reference', { apiKey: 'env:VENDOR_KEY' }, { apiKey: 'env:VENDOR_KEY' }],
    ['in an address', { url: 'postgres://me:pw@db/x' }, { url: 'postgres://[redacted]@db/x' }],
    [
      'short values of the environment stand everywhere',
      { port: '8080', maxTokens: 5, flag: true },
      { port: '8080', maxTokens: 5, flag: true },
    ],
    [
      'things are named',
      { log: new Map(), call: () => undefined },
      { log: '[Map]', call: '[function]' },
    ],
  ])('%s', async (_name, config, shown) => {
    const { plugins } = await inspected(config, {
      VENDOR_KEY: 'sk-live-987654',
      NODE_ENV: 'production',
      PORT: '8080',
    })
    expect(plugins[0]?.config).toEqual(shown)
  })
})

test('as a tree', async () => {
  const text = toText(await inspected({ size: 1 })).replaceAll(/\d+\.\d ms/g, '0.0 ms')
  expect(text).toBe(`generation 1, 3 plugins, 0 runs, taps run by tapable
├─ plugins
│  ├─ store 1.0.0, running, setup 0.0 ms
│  │  ├─ config {"size":1}
│  │  └─ provides store
│  ├─ cache 1.1.0, running, setup 0.0 ms
│  │  └─ after store (wraps store)
│  └─ reader-eu (reader) 2.0.0, running, setup 0.0 ms
│     ├─ after store (needs store), cache (needs store, which it wraps), cache (by \`after\`)
│     ├─ from preset dev
│     ├─ provides cart
│     └─ taps tool.guard, kernel.drain
├─ slots
│  ├─ clock ← kernel, per kernel
│  ├─ inspector ← kernel, per kernel
│  ├─ store ← store, wrapped by cache, per kernel
│  └─ cart ← reader-eu, per session
├─ registries
│  └─ words
│     └─ hello ← reader-eu
├─ hooks
│  ├─ tool.guard (waterfall, fail)
│  │  └─ reader-eu at seal, 0 calls, 0.0 ms
│  └─ kernel.drain (parallel, skip)
│     └─ reader-eu at late, 1 calls, 0.0 ms, 1 errors
└─ errors
   └─ 1970-01-01T00:00:00.000Z PLUGIN_FAILED [reader-eu] failed in hook kernel.drain: busy`)
})

test('as a graph', async () => {
  expect(toMermaid(await inspected())).toBe(`graph LR
  p0["store 1.0.0"]
  p1["cache 1.1.0"]
  p2["reader-eu 2.0.0"]
  p0 -->|"needs store"| p2
  p1 -.->|"needs store, which it wraps<br/>by \`after\`"| p2
  p0 -->|"wraps store"| p1`)
})
