/**
 * The nemesis for as long as one likes: run after run, each from a seed of its own, until one is
 * violated or the time is over.
 *
 *     node tests/chaos/nemesis.ts --minutes 60 [--seed N] [--seconds 30]
 *       [--database pglite|postgres]
 */

import { parseArgs } from 'node:util'
import { accountOf, campaign, summaryOf } from './campaign.ts'
import { newRandom, Random } from '../support/random.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    database: { type: 'string' },
    /** Of faults, in each run. */
    seconds: { type: 'string', default: '30' },
    'keep-going': { type: 'boolean', default: false },
  },
})
const first = values.seed === undefined ? newRandom() : new Random(Number(values.seed))
const until = performance.now() + Number(values.minutes) * 60_000
let violated = 0
let runs = 0

for (
  let seed = first.seed;
  performance.now() < until && (violated === 0 || values['keep-going']);
  seed++
) {
  const random = new Random(seed)
  const drawn = random.branch('database').chance(0.25) ? 'pglite' : 'postgres'
  const database =
    values.database === 'pglite' || values.database === 'postgres' ? values.database : drawn
  const outcome = await campaign({ random, database, ms: Number(values.seconds) * 1_000 })
  runs++
  process.stdout.write(`${summaryOf(outcome.history)}\n`)
  if (outcome.violations.length === 0) continue
  violated++
  process.stdout.write(`${await accountOf(outcome)}\n`)
}
process.stdout.write(`${runs} runs, ${violated} violated\n`)
process.exitCode = violated > 0 ? 1 : 0
