import type { HookTaps, RunContext } from '@amodal/sdk'
import type { AgentProfile } from './profile.ts'
import type { Profiles } from './profiles.ts'
import type { ProfileView } from './profile-view.ts'
import type { ProviderDelays } from './provider-delays.ts'
import type { RunJobs } from './run-jobs.ts'
import type { RunNews } from './run-news.ts'
import { profileIdOf } from './run-state.ts'
import type { RunWorker } from './run-worker.ts'

interface TapParts {
  readonly delays: ProviderDelays
  readonly jobs: RunJobs
  readonly news: RunNews
  readonly profiles: Profiles
  readonly view: ProfileView
  readonly worker: RunWorker
}

/** Makes the sessions of runs what their profiles say. */
export function tapProfiles(hooks: HookTaps, { profiles, view }: TapParts): void {
  const profileOf = (run: RunContext): AgentProfile | undefined => {
    const id = profileIdOf(run)
    return id === undefined ? undefined : profiles.find(id, run.bundle)
  }
  hooks.run.start.tap((_request, run) => {
    const id = profileIdOf(run)
    return id === undefined || profiles.find(id, run.bundle)
      ? undefined
      : { deny: true, reason: 'error', message: `there is no profile "${id}" any more` }
  })
  hooks.tools.list.tap(
    (list, run) => {
      const profile = profileOf(run)
      return profile && view.tools(list, profile)
    },
    { stage: 'last' },
  )
  hooks.prompt.compile.tap((draft, run) => {
    const profile = profileOf(run)
    return profile && view.prompt(draft, profile)
  })
}

/** Hears how the sessions of runs get on in this process. */
export function tapProgress(hooks: HookTaps, { delays, jobs, news, worker }: TapParts): void {
  hooks.model.failed.tap(
    (error, _call, _attempt, run) => {
      if (profileIdOf(run) !== undefined) delays.heard(run.session, error)
      return undefined
    },
    { stage: 'first' },
  )
  hooks.state.changed.tap((_from, to, run) => {
    if (profileIdOf(run) !== undefined)
      news.ring(run, { isUrgent: to === 'confirming', ofRow: false })
  })
  /** Keys of the messages that began runs here. One that is picked up again has none. */
  const keys = new WeakMap<RunContext, string>()
  hooks.run.start.tap(
    ({ key }, run) => {
      if (profileIdOf(run) !== undefined) keys.set(run, key)
      return undefined
    },
    { stage: 'last' },
  )
  hooks.run.end.tap(async ({ reason, error }, run) => {
    const profile = profileIdOf(run)
    if (profile === undefined) return
    const key = keys.get(run)
    const end = key === undefined ? undefined : { key, reason, ...(error && { error }) }
    news.ring(run, { isUrgent: true, ofRow: false, ...(end && { end }) })
    // Somebody answered elsewhere, or another process began it: a job looks after its end.
    if (!worker.has(run.session)) await jobs.drive({ ...run, profile }, `end:${run.run}`)
  })
}
