import type { Generation, HookTaps } from '@amodal/sdk'
import type { Replays } from './replay.ts'

/** Has replays with an overlay see the changed files; other taps work on what comes of it. */
export function tapOverlays(hooks: HookTaps, replays: Replays, generation: () => Generation): void {
  hooks.tools.list.tap(
    (list, run) => replays.of(run)?.enactment?.overlay?.tools(list, run, generation()),
    { stage: 'first' },
  )
  hooks.prompt.compile.tap(
    (_draft, run) => replays.of(run)?.enactment?.overlay?.draft(run, generation()),
    { stage: 'first' },
  )
}
