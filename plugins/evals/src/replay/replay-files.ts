import type { RunFiles } from '@amodal/plugin-loop/tokens'
import type { Replays } from './replay.ts'

/** Gives the runs of a replay with an overlay its changed files. */
export const replayFiles = (replays: Replays): RunFiles => ({
  choose: (bundle, opening) => {
    const overlay = replays.of(opening)?.enactment?.overlay
    return Promise.resolve({ bundle: overlay?.bundleOf(bundle) ?? bundle })
  },
})
