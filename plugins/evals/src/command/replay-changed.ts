import type { CommandContext, Failure, Result } from '@amodal/sdk'
import { changeText } from '../change/change.ts'
import { changedFolder, type ChangedFolder } from '../change/changed-folder.ts'
import { readFileChanges } from '../change/file-changes.ts'
import type { ChangeReport } from '../replay/change-report.ts'
import type { Recording } from '../replay/recording.ts'
import { changeLines } from '../report/change-lines.ts'
import { countsLine } from '../report/replay-counts.ts'
import { dollars } from '../report/table.ts'
import { Evals } from '../tokens.ts'
import type { ReplayOptions, Selected } from './replay-options.ts'

const INTERRUPTED = 130

/** Replays sessions with a changed copy of the folder, which is removed afterwards. */
export async function replayChanged(
  context: CommandContext,
  options: ReplayOptions,
  selected: readonly Selected[],
): Promise<number> {
  const { dir, fail, print, signal } = context
  const changed = await changedFolder(dir, options.changes, signal)
  if (!changed.ok) {
    fail(`${changed.error.code}: ${changed.error.message}`)
    return signal.aborted ? INTERRUPTED : 1
  }
  try {
    if (!options.json) {
      print(`With ${options.changes.map(changeText).join(', ')}`)
      const { files } = changed.value
      print(files.length === 0 ? 'No file differs.' : `Files that differ: ${files.join(', ')}`)
    }
    return await replayAll(context, options, selected, changed.value)
  } finally {
    await changed.value.remove()
  }
}

async function replayAll(
  context: CommandContext,
  { json, steps }: ReplayOptions,
  selected: readonly Selected[],
  changed: ChangedFolder,
): Promise<number> {
  const { dir, fail, print, signal } = context
  const unchanged = await context.start({ without: ['http'], looking: true })
  const other = await context.start({ dir: changed.dir, without: ['http'], looking: true })
  const { baseline } = unchanged.scope.get(Evals)
  const { branch } = other.scope.get(Evals)
  const files = await readFileChanges(dir, changed.dir, changed.files)
  const replay = async (recording: Recording): Promise<Result<ChangeReport, Failure>> => {
    const before = await baseline(recording, signal)
    return before.ok ? branch({ baseline: before.value, files, steps }, signal) : before
  }
  const reports: ChangeReport[] = []
  let failed = 0
  for (const { recording, session } of selected) {
    const report = recording.ok ? await replay(recording.value) : recording
    if (signal.aborted) return INTERRUPTED
    if (!report.ok) {
      failed++
      fail(`${session}: ${report.error.code}: ${report.error.message}`)
      continue
    }
    reports.push(report.value)
    if (json) print(JSON.stringify(report.value))
    else for (const line of changeLines(report.value)) print(line)
  }
  const differ = reports.filter(({ divergence, journal }) => divergence ?? journal).length
  if (selected.length > 1 && !json) {
    print(countsLine({ same: reports.length - differ, differ, failed }))
    print(`${spentLine(reports)}`)
  }
  return differ + failed > 0 ? 1 : 0
}

function spentLine(reports: readonly ChangeReport[]): string {
  const calls = reports.reduce((sum, { modelCalls }) => sum + modelCalls, 0)
  const refused = reports.reduce((sum, one) => sum + one.refused, 0)
  const isKnown = reports.every(({ cost }) => cost !== undefined)
  const cost = reports.reduce((sum, one) => sum + (one.cost ?? 0), 0)
  const price = isKnown ? dollars(cost) : 'a price that is not known'
  return `The model was asked ${calls} times, for ${price}; ${refused} calls were refused.`
}
