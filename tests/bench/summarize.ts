/**
 * Prints what the benchmarks last found here, against goals and baseline. Ends with 1 where a gate
 * is missed by more than the tolerance.
 *
 *     node tests/bench/summarize.ts
 */

import { missed, readBaseline, readGoals, readResults, table } from './results.ts'

const [goals, baseline, results] = await Promise.all([readGoals(), readBaseline(), readResults()])
if (results.length === 0)
  console.log('Nothing has been measured here yet: node tests/bench/run.ts --smoke')

for (const { bench, at, node, cores, pinned, measurements } of results) {
  const kept = pinned ? 'servers and load on cores of their own' : 'not pinned, so noisy'
  console.log(`\n${bench} · ${at} · Node ${node} · ${cores} cores, ${kept}\n`)
  console.log(table(measurements, goals, baseline))
  if (missed(measurements, goals).length > 0) process.exitCode = 1
}
