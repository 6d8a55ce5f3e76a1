import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  definePlugin,
  explain,
  Kernel,
  replace,
  resolvePlan,
  use,
  without,
  type Entry,
} from '@amodal/kernel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { checkout } from '../src/checkout.ts'
import { describe as lines } from '../src/describe.ts'
import { Checkout, Coupons, Prices, Totalling } from '../src/tokens.ts'

const SHOP = { prices: { tea: 450, pot: 2_600 }, coupons: { SPRING: 10 } }
const example = join(import.meta.dirname, '..')

let folder = ''
let ledger = ''
let shop: readonly Entry[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bare-kernel-'))
  ledger = join(folder, 'ledger.jsonl')
  shop = [use(checkout, { ledger }), use(catalogue, SHOP)]
})
afterEach(() => rm(folder, { recursive: true }))

async function running(entries: readonly Entry[]): Promise<Kernel> {
  const made = await Kernel.create(entries)
  if (!made.ok) throw new Error(explain(made.error))
  return made.value
}
const totalOf = (kernel: Kernel, ...order: Parameters<Checkout['total']>): unknown =>
  kernel.scope.get(Checkout).total(...order)
const refusal = (entries: readonly Entry[]): string => {
  const plan = resolvePlan(entries)
  return plan.ok ? '' : explain(plan.error)
}

it('asks who knows the price, which coupons there are, and whether anybody changes the total', async () => {
  const kernel = await running([
    ...shop,
    use(
      definePlugin({
        name: 'night-rate',
        version: '1.0.0',
        setup({ add, tap }) {
          add(Coupons, 'NIGHT', { percent: 50 })
          tap(Totalling, (total) => ({ ...total, shippingCents: total.shippingCents + 100 }))
        },
      }),
    ),
  ])
  expect(await totalOf(kernel, ['tea', 'pot'], 'SPRING')).toEqual({
    ok: true,
    value: { articlesCents: 2_745, shippingCents: 590 },
  })
  expect(await totalOf(kernel, ['pot'], 'NIGHT')).toMatchObject({ value: { articlesCents: 1_300 } })
  expect(await totalOf(kernel, ['cup'])).toEqual({ ok: false, error: 'there is no cup' })
  expect(await totalOf(kernel, ['tea'], 'AUTUMN')).toEqual({
    ok: false,
    error: 'there is no coupon AUTUMN',
  })
  await kernel.close()
})

it('refuses a total that no customer should see, and names the plugin that made it', async () => {
  const generous = definePlugin({
    name: 'generous',
    version: '1.0.0',
    setup: ({ tap }) => tap(Totalling, (total) => ({ ...total, articlesCents: -1 })),
  })
  const kernel = await running([...shop, use(generous)])
  expect(await totalOf(kernel, ['tea'])).toEqual({
    ok: false,
    error: expect.stringMatching(/generous.*a total may not be negative/) as string,
  })
  await kernel.close()
})

describe('a list that cannot run', () => {
  it('is explained before anything of it runs: who needs what', () => {
    expect(refusal([...shop, without('catalogue')])).toContain(
      'checkout needs "prices", and no plugin in the list provides it',
    )
  })

  it('is told all that is wrong with it at once', () => {
    const config: Record<string, unknown> = { prices: { tea: -450 } } // as it is read from a file
    const wrong = refusal([
      { kind: 'use', plugin: catalogue, config, options: {} },
      { kind: 'use', plugin: checkout, config: { ledger, curency: 'EUR' }, options: {} },
    ])
    expect(wrong).toContain('for 2 reasons')
    expect(wrong).toMatch(/BAD_CONFIG +config of catalogue, `prices/)
    expect(wrong).toMatch(/BAD_CONFIG +config of checkout, `curency`/)
  })

  it('has two who do the same', () => {
    const flat = definePlugin({
      name: 'flat',
      version: '1.0.0',
      provides: [Prices],
      setup: ({ provide }) => provide(Prices, () => ({ of: () => 100 })),
    })
    expect(refusal([...shop, use(flat)])).toMatch(/catalogue.*flat|flat.*catalogue/)
    expect(refusal([...shop, replace('catalogue', flat)])).toBe('')
  })
})

describe('a reload', () => {
  it('carries over what did not change, and builds the rest beside it', async () => {
    const kernel = await running(shop)
    const reloaded = await kernel.reload([...shop, use(checkout, { ledger, shippingCents: 0 })])
    if (!reloaded.ok) throw new Error(explain(reloaded.error))
    expect(reloaded.value.carried).toEqual(['catalogue'])
    expect(await totalOf(kernel, ['tea'])).toMatchObject({ value: { shippingCents: 0 } })
    expect(await reloaded.value.retired).toEqual([])
    await kernel.close()
  })

  it('that fails leaves the running list as it was', async () => {
    const kernel = await running(shop)
    const unwired = await kernel.reload([use(checkout, { ledger })])
    expect(unwired.ok ? '' : explain(unwired.error)).toContain('checkout needs "prices"')
    const unbooted = await kernel.reload([...shop, use(checkout, { ledger: folder })])
    expect(unbooted.ok ? '' : explain(unbooted.error)).toContain('the plugin checkout, in its boot')
    expect(await totalOf(kernel, ['tea'])).toMatchObject({ value: { articlesCents: 450 } })
    await kernel.close()
  })
})

it('can be inspected: the order and why, and who fills, adds and taps what', async () => {
  const kernel = await running(shop)
  expect(lines(kernel)).toEqual(
    expect.arrayContaining([
      'catalogue 1.0.0 in list order',
      'checkout 1.0.0 after catalogue (needs prices), catalogue (reads coupons)',
      'slot checkout ← checkout',
      'slot prices ← catalogue',
      'registry coupons: SPRING ← catalogue',
      'hook checkout.totalling ← catalogue',
    ]),
  )
  await kernel.close()
})

it('closes what it opened', async () => {
  const kernel = await running(shop)
  await totalOf(kernel, ['tea'])
  const { total } = kernel.scope.get(Checkout)
  expect(await kernel.close()).toEqual([])
  expect(kernel.closed).toBe(true)
  expect(await readFile(ledger, 'utf8')).toBe('{"articlesCents":450,"shippingCents":490}\n')
  await expect(total(['tea'])).rejects.toThrow('file closed')
})

it('prints what its page shows', async () => {
  const page = await readFile(join(example, 'README.md'), 'utf8')
  const shown = /```text output\n([^]*?)```/.exec(page)?.[1] ?? ''
  const { stdout } = await promisify(execFile)(process.execPath, [join(example, 'src/main.ts')])
  expect(stdout.replace(/open '.*'/, 'open …').trim()).toBe(shown.trim())
})
