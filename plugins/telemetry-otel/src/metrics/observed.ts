import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import { Agent, JobQueue, type Generation } from '@amodal/sdk'
import { METRICS, NAMES } from '../names.ts'

/** ms that the counts of the queue may take; they are left out where they take longer. */
const QUEUE_MS = 2_000
const JOB_STATES = ['waiting', 'delayed', 'active', 'dead'] as const

/**
 * Reports what is so at the moment at which metrics are read.
 *
 * @returns what ends it
 */
export function observeState(meter: Meter, generation: () => Generation): () => void {
  const gauge = (name: string, unit: string, description: string): Observable =>
    meter.createObservableGauge(name, { unit, description })
  const owned = gauge(METRICS.sessionsOwned, '{session}', 'Sessions that this process serves now')
  const resident = gauge(
    METRICS.sessionsResident,
    '{session}',
    'Idle sessions whose history is in memory',
  )
  const active = gauge(METRICS.activeRuns, '{run}', 'Runs in progress here, by state')
  const waiting = gauge(
    METRICS.inboxWaiting,
    '{message}',
    'Messages that wait in sessions that this process serves',
  )
  const takeovers = meter.createObservableCounter(METRICS.takeovers, {
    unit: '{session}',
    description: 'Sessions taken over from processes that were lost',
  })
  const setAside = meter.createObservableCounter(METRICS.runsSetAside, {
    unit: '{run}',
    description: 'Runs set aside for a person, since they stopped their servers',
  })
  const jobs = gauge(METRICS.queueJobs, '{job}', 'Jobs of all processes by queue and state')

  const observe = async (result: BatchObservableResult): Promise<void> => {
    const { scope } = generation()
    const agent = scope.find(Agent)
    if (agent) {
      const name = { [NAMES.agent]: agent.bundle()?.manifest.name ?? 'amodal' }
      const runs = agent.runs()
      const { resident: residents, sessions } = agent.status()
      result.observe(resident, residents, name)
      result.observe(owned, sessions?.owned ?? 0, name)
      result.observe(waiting, sessions?.waiting ?? 0, name)
      result.observe(takeovers, sessions?.takenOver ?? 0)
      result.observe(setAside, sessions?.setAside ?? 0)
      for (const [state, inState] of Map.groupBy(runs, (run) => run.state))
        result.observe(active, inState.length, { ...name, [NAMES.runState]: state })
      if (runs.length === 0) result.observe(active, 0, { ...name, [NAMES.runState]: 'thinking' })
    }
    const queue = scope.find(JobQueue)
    const counted = await queue?.counts(undefined, AbortSignal.timeout(QUEUE_MS))
    if (!queue || !counted?.ok) return
    const names = new Set([...counted.value.keys(), ...queue.workers().map((one) => one.queue)])
    for (const name of names)
      for (const state of JOB_STATES)
        result.observe(jobs, counted.value.get(name)?.[state] ?? 0, {
          [NAMES.queue]: name,
          [NAMES.jobState]: state,
        })
  }
  const all = [owned, resident, active, waiting, takeovers, setAside, jobs]
  meter.addBatchObservableCallback(observe, all)
  return () => meter.removeBatchObservableCallback(observe, all)
}
