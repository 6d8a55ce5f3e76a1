import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explain, Kernel, resolvePlan, use, without } from '@amodal/kernel'
import { catalogue } from './catalogue.ts'
import { checkout } from './checkout.ts'
import { describe } from './describe.ts'
import { Checkout } from './tokens.ts'

const folder = await mkdtemp(join(tmpdir(), 'bare-kernel-'))
const ledger = join(folder, 'ledger.jsonl')
const list = [
  use(checkout, { ledger }), // the order is worked out
  use(catalogue, { prices: { tea: 450, pot: 2_600 }, coupons: { SPRING: 10 } }),
]

// A list that cannot run is refused before anything of it runs.
const plan = resolvePlan([...list, without('catalogue')])
console.log(plan.ok ? 'This list would run.' : explain(plan.error))

const made = await Kernel.create(list)
if (!made.ok) throw new Error(explain(made.error))
const kernel = made.value
console.log(describe(kernel).join('\n'))
const total = async (): Promise<void> => {
  const paid = await kernel.scope.get(Checkout).total(['tea', 'pot'], 'SPRING')
  console.log(paid.ok ? paid.value : paid.error)
}
await total()

// The other list is built beside this one. Plugins that did not change are carried over.
const prices = { tea: 450, pot: 2_600 }
const next = use(catalogue, { prices, coupons: { SPRING: 10 }, freeShippingFromCents: 2_500 })
const reloaded = await kernel.reload([...list, next])
if (!reloaded.ok) throw new Error(explain(reloaded.error))
console.log(`Generation ${reloaded.value.generation.id}.`)
await total()

// A reload that fails changes nothing: the running list serves on.
const refused = await kernel.reload([...list, use(checkout, { ledger: folder })])
console.log(refused.ok ? 'It was taken.' : explain(refused.error))
await total()

// Everything is undone, last made first; what fails on the way is returned.
const failed = await kernel.close()
console.log(`Closed, with ${failed.length} failures.`)
console.log(await readFile(ledger, 'utf8'))
await rm(folder, { recursive: true })
